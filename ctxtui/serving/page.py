"""The page a browser loads: a terminal that fills it, and nothing from anywhere else."""

from __future__ import annotations

from html import escape

POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; font-src 'self' data:; connect-src 'self' {socket}; "
    "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""What the page may load, as browsers are told: this server's own, and nothing else."""

_PAGE = """<!DOCTYPE html>
<html lang="en">
 <head>
  <meta charset="utf-8">
  <title>{title}</title>
  <link rel="icon" href="data:,">
  <link rel="stylesheet" href="/static/css/xterm.css">
  <script src="/static/js/textual.js"></script>
  <style>
   body {{ margin: 0; background: #0e1118; color: #cdd4df; overflow: hidden;
     font: 16px "Fira Code", "DejaVu Sans Mono", Menlo, Consolas, monospace; }}
   .textual-terminal {{ width: 100vw; height: 100vh; }}
   .said {{ position: absolute; inset: 0; z-index: 10; display: flex; gap: 24px;
     align-items: center; justify-content: center; background: #0e1118; }}
   .-first-byte .waiting, .ended {{ display: none; }}
   .-closed .ended {{ display: flex; }}
   button {{ font: inherit; padding: 8px 16px; border: 0; background: #d9e650; color: #14170a; }}
  </style>
 </head>
 <body>
  <div class="said waiting">ctxtui is starting…</div>
  <div class="said ended">This session has ended.
   <button type="button" onclick="location.reload()" autofocus>Start again</button></div>
  <div id="terminal" class="textual-terminal" data-session-websocket-url="{socket}"
   data-font-size="{font_size}"></div>
  <script>
   // Keys belong to the terminal from the start, without a click into it.
   const watch = setInterval(() => {{
    const typed = document.querySelector(".-first-byte .xterm-helper-textarea");
    if (typed) {{ typed.focus(); clearInterval(watch); }}
   }}, 50);
  </script>
 </body>
</html>
"""


def page(title: str, socket: str, font_size: int) -> str:
    """Return the page, with the address of the socket it talks to."""
    return _PAGE.format(title=escape(title), socket=escape(socket), font_size=font_size)


def policy(socket: str) -> str:
    """Return the header that keeps the page from loading anything from elsewhere."""
    return POLICY.format(socket=socket.partition("/ws")[0])
