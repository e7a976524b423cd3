"""Files of the user's disk that the app and the commands read or write."""
