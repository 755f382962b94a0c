"""What holds for every test."""

import signal
import threading

if threading.current_thread() is threading.main_thread():
    # A shell that starts the tests in the background has them ignore Ctrl-C; tests of Ctrl-C need it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
