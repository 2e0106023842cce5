"""The remote backend. Installs this build's parts into an empty folder, builds samples/remote out of the tree from
installed files only, runs the conformance kit and real kernels through it; then kills, stops and slows the server, lies to
either side, and shows the wrong token: every fault is an error that says what happened, never a hang, never a wrong result."""
import hashlib
import hmac
import os
import pathlib
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()
BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
TOKEN = "a token of the tests, long enough"
MAGIC, PROTOCOL = 0x31524D50, 4
CHALLENGE, HELLO, WELCOME, WINDOW, WINDOW_TAKEN, ALLOCATE, RELEASE, RESOLVE, RESOLVED, SUBMIT, WRITE, READ, FILL, COPY, DISPATCH, DATA, DONE, ALIVE = range(1, 19)


def run(*command, **more):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=280, **more)


def frame(kind, body=b""):
    return struct.pack("<IIQ", MAGIC, kind, len(body)) + body


def exactly(connection, count):
    got = b""
    while len(got) < count:
        part = connection.recv(count - len(got))
        if not part:
            raise EOFError
        got += part
    return got


def receive(connection):
    magic, kind, length = struct.unpack("<IIQ", exactly(connection, 16))
    assert magic == MAGIC
    return kind, exactly(connection, length)


def proof(token, role, of_server, of_client):
    return hmac.new(token.encode(), of_server + of_client + bytes([role]), hashlib.sha256).digest()


class Liar:
    """A server that knows the token and sends the answers of the test."""

    def __init__(self, path, on_submit, token=TOKEN, welcome=None):
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen(1)
        self.on_submit, self.token, self.welcome = on_submit, token, welcome
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        connection, _ = self.listener.accept()
        self.listener.close()
        try:
            nonce = os.urandom(32)
            connection.sendall(frame(CHALLENGE, struct.pack("<I", PROTOCOL) + nonce))
            _, hello = receive(connection)
            theirs = hello[4:36]
            name = b"liar"
            connection.sendall(self.welcome or frame(WELCOME, proof(self.token, 2, nonce, theirs) + struct.pack("<QIQ", 1 << 30, 2, len(name)) + name))
            while True:
                kind, body = receive(connection)
                if kind == WINDOW:
                    connection.sendall(frame(WINDOW_TAKEN, b"\1"))
                elif kind == RESOLVE:
                    connection.sendall(frame(RESOLVED, struct.pack("<QQ", 0, 0)))
                elif kind == SUBMIT:
                    self.on_submit(connection)
        except (EOFError, OSError):
            pass
        finally:
            connection.close()


class Remote(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = pathlib.Path(cls.folder.name)
        cls.prefix = cls.root / "prefix"
        for part in ("runtime", "compiler", "tools/prism-probe", "tools/prism-info", "tests/devices"):
            done = run("cmake", f"-DCMAKE_INSTALL_PREFIX={cls.prefix}", "-P", BUILD / part / "cmake_install.cmake")
            assert done.returncode == 0, done.stderr
        sample = cls.root / "remote"
        shutil.copytree(SOURCE / "samples/remote", sample)
        cls.build = cls.root / "build"
        # As one file: the seven of the backend parse the same headers, and policy.backend_modules builds one without this option.
        done = run("cmake", "-S", sample, "-B", cls.build, f"-DCMAKE_PREFIX_PATH={cls.prefix}", "-DCMAKE_UNITY_BUILD=ON")
        assert done.returncode == 0, done.stdout + done.stderr
        done = run("cmake", "--build", cls.build, "-j2")
        assert done.returncode == 0, done.stdout + done.stderr
        os.chmod(cls.build, 0o755)
        os.chmod(cls.build / "remote.so", 0o755)
        cls.token = cls.root / "token"
        cls.token.write_text(TOKEN + "\n")
        cls.token.chmod(0o600)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def variables(self, where, **more):
        return {**os.environ, "PRISM_BACKEND_PATH": str(self.build), "PRISM_CACHE_DIR": str(self.root / "cache"), "PRISM_DEVICE_SELECTOR": "remote",
                "PRISM_REMOTE": where, "PRISM_REMOTE_TOKEN_FILE": str(self.token), "PRISM_REMOTE_TIMEOUT_MS": "1500", **more}

    def address(self):
        return f"unix:{self.root}/s{time.monotonic_ns()}"

    def server(self, where, program=None):
        """Starts the program as a server; `said` reads its standard error from a file."""
        log = open(self.root / "log", "w+")
        process = subprocess.Popen([str(program or self.build / "remote_example")], stderr=log, stdout=log, env={
            **os.environ, "PRISM_REMOTE_SERVE": where, "PRISM_REMOTE_TOKEN_FILE": str(self.token), "LD_PRELOAD": str(self.build / "remote.so")})

        def end():
            process.kill()
            process.wait()
            log.close()
        self.addCleanup(end)
        for _ in range(200):
            if "serving on" in (self.root / "log").read_text():
                return process
            self.assertIsNone(process.poll(), (self.root / "log").read_text())
            time.sleep(0.02)
        self.fail("the server does not start")

    def said(self):
        return (self.root / "log").read_text()

    def assert_says(self, text):
        """Polls, because the server logs after its answer."""
        end = time.monotonic() + 10
        while text not in self.said() and time.monotonic() < end:
            time.sleep(0.02)
        self.assertIn(text, self.said())

    def example(self, what, where, **more):
        return run(self.build / "remote_example", what, env=self.variables(where, **more))

    def sessions(self, server):
        return [int(c) for c in pathlib.Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()]

    def command_of(self, process):
        try:
            return pathlib.Path(f"/proc/{process}/cmdline").read_bytes()
        except (FileNotFoundError, ProcessLookupError):
            return b""

    def running(self, where):
        """A client whose kernels are running."""
        client = subprocess.Popen([self.build / "remote_example", "endless"], env=self.variables(where), stdout=subprocess.PIPE, text=True)
        self.addCleanup(client.stdout.close)
        self.addCleanup(client.kill)
        self.assertEqual(client.stdout.readline(), "running\n")
        return client

    # ---- normal operation

    def test_passes_the_conformance_kit(self):
        variables = {k: v for k, v in self.variables("spawn").items() if k not in ("PRISM_BACKEND_PATH", "PRISM_DEVICE_SELECTOR")}
        done = run(self.prefix / "bin/prism-conformance", self.build / "remote.so", env=variables)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("device under test: remote", done.stdout)
        self.assertIn("[       OK ] dispatch_test.groups_share_local_memory_across_a_barrier", done.stdout, "kernels run on the server")

    def test_kernels_of_the_same_binary_run_in_another_process(self):
        with socket.socket(socket.AF_INET) as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        for where in ("spawn", self.address(), f"tcp:127.0.0.1:{port}"):
            with self.subTest(where):
                if where != "spawn":
                    self.server(where)
                done = self.example("check", where)
                self.assertEqual((done.returncode, done.stdout), (0, "ALL RIGHT\n"), done.stderr)

    def test_several_clients_at_once(self):
        where = self.address()
        self.server(where)
        clients = [subprocess.Popen([self.build / "remote_example"], env=self.variables(where), stdout=subprocess.PIPE, text=True) for _ in range(4)]
        for client in clients:
            self.assertEqual(client.communicate(timeout=60)[0], "ALL RIGHT\n")

    # ---- authentication

    def test_a_wrong_token_is_rejected(self):
        where = self.address()
        self.server(where)
        done = self.example("check", where, PRISM_REMOTE_TOKEN="another token, also long enough")
        self.assertIn("do both have the same token?", done.stderr + done.stdout)
        self.assert_says("does not know the token")
        self.assertEqual(self.example("check", where).stdout, "ALL RIGHT\n", "the server still serves other clients")

    def test_a_server_without_the_token_is_rejected(self):
        path = self.root / "impostor"
        Liar(path, None, token="guessed, but not the token")
        done = self.example("check", f"unix:{path}")
        self.assertIn("does not know the token", done.stderr + done.stdout)

    def test_insecure_tokens_are_refused(self):
        open_to_all = self.root / "open"
        open_to_all.write_text(TOKEN)
        open_to_all.chmod(0o644)
        done = self.example("check", "unix:/nowhere", PRISM_REMOTE_TOKEN_FILE=str(open_to_all))
        self.assertIn("can be read by other users", done.stderr + done.stdout)
        done = self.example("check", "unix:/nowhere", PRISM_REMOTE_TOKEN="short")
        self.assertIn("fewer than 16", done.stderr + done.stdout)
        done = self.example("check", "tcp:192.168.1.1:80")
        self.assertIn("only addresses of this machine", done.stderr + done.stdout)

    def test_a_server_of_another_program_has_no_kernels(self):
        where = self.address()
        self.server(where, self.prefix / "bin/prism-conformance")
        done = self.example("check", where)
        self.assertIn("runs another program or another build", done.stdout)

    # ---- killed, stopped, slow

    def test_a_killed_session_is_an_error_and_the_server_continues(self):
        where = self.address()
        server = self.server(where)
        client = self.running(where)
        os.kill(self.sessions(server)[0], signal.SIGKILL)
        out, _ = client.communicate(timeout=20)
        self.assertEqual(client.returncode, 3)
        self.assertIn("the remote device is lost", out)
        self.assertEqual(self.example("check", where).stdout, "ALL RIGHT\n")

    def test_a_server_that_stops_answering_is_an_error_after_the_limit(self):
        where = self.address()
        server = self.server(where)
        client = self.running(where)
        session = self.sessions(server)[0]
        os.kill(session, signal.SIGSTOP)
        self.addCleanup(os.kill, session, signal.SIGKILL)
        begin = time.monotonic()
        out, _ = client.communicate(timeout=20)
        self.assertLess(time.monotonic() - begin, 10)
        self.assertIn("has not answered for 1500 ms", out)

    def test_a_missing_server_is_an_immediate_error(self):
        done = self.example("check", "unix:/no/such/server")
        self.assertIn("connect to unix:/no/such/server", done.stderr + done.stdout)

    def test_a_slow_kernel_is_waited_for(self):
        done = self.example("slow", "spawn", PRISM_REMOTE_TIMEOUT_MS="500")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertGreater(float(done.stdout.split()[2]), 500, "longer than the time limit for answers")

    def test_a_pause_of_the_whole_machine_is_not_silence(self):
        client = subprocess.Popen([self.build / "remote_example", "slow"], env=self.variables("spawn", PRISM_REMOTE_TIMEOUT_MS="500"), stdout=subprocess.PIPE, text=True)
        self.addCleanup(client.stdout.close)
        self.addCleanup(client.kill)
        servers = []
        while not servers and client.poll() is None:  # other children open the drivers first
            time.sleep(0.02)
            servers = [c for c in self.sessions(client) if self.command_of(c).startswith(b"prism-remote-server")]
        server = servers[0]
        time.sleep(0.5)
        for both in (server, client.pid):
            os.kill(both, signal.SIGSTOP)
        time.sleep(0.8)
        os.kill(client.pid, signal.SIGCONT)
        time.sleep(0.1)  # the client runs first, as it may after such a pause
        os.kill(server, signal.SIGCONT)
        self.assertIn("done after", client.communicate(timeout=60)[0])

    # ---- wrong messages

    def lied_to(self, on_submit):
        path = self.root / f"liar{time.monotonic_ns()}"
        Liar(path, on_submit)
        done = self.example("check", f"unix:{path}")
        self.assertEqual(done.returncode, 3, f"{done.returncode} {done.stdout} {done.stderr}")
        return done.stdout

    def test_wrong_answers_of_the_server_are_reported(self):
        end = struct.pack("<BQQQ", 1, 0, 0, 0)
        for lie, said in ((b"HTTP/1.1 200 OK\r\n\r\n", "no message of this protocol"),
                          (frame(77), "unknown type 77"),
                          (struct.pack("<IIQ", MAGIC, DATA, 1 << 40), "claims 1099511627776 bytes"),
                          (frame(DONE, end[:-3]), "bytes too early"),
                          (frame(DONE, end + b"more"), "4 bytes too many"),
                          (frame(RESOLVED, struct.pack("<QQ", 0, 0)), "expected the end of a submission"),
                          (struct.pack("<IIQ", MAGIC, DONE, 100), "it closes in the middle")):
            with self.subTest(said):
                def answer(connection, lie=lie):
                    connection.sendall(lie)
                    if said == "it closes in the middle":
                        connection.shutdown(socket.SHUT_WR)
                out = self.lied_to(answer)
                # The thread that reads or sends first detects that the server closed the connection.
                self.assertRegex(out, "closed the connection|the connection broke" if said == "it closes in the middle" else re.escape(said))

    def test_too_much_data_never_reaches_the_host(self):
        def answer(connection):
            connection.sendall(frame(DONE, struct.pack("<BQQQ", 1, 0, 0, 0)) + frame(DATA, b"\7" * (1 << 20)) * 2)
        self.assertIn("lost", self.lied_to(answer))

    def test_wrong_requests_of_a_client_end_only_its_session(self):
        where = self.address()
        self.server(where)
        allocate = frame(ALLOCATE, struct.pack("<QQ", 0x100000000000, 4096))
        window = frame(WINDOW, struct.pack("<QQ", 0x100000000000, 1 << 30))
        lies = [b"garbage" * 10, frame(99), frame(DISPATCH), struct.pack("<IIQ", MAGIC, SUBMIT, 1 << 60), frame(WINDOW, b"1"),
                window + frame(ALLOCATE, struct.pack("<QQ", 4096, 4096)), window + allocate + allocate, window + frame(RELEASE, struct.pack("<Q", 1)),
                window + allocate + frame(SUBMIT, struct.pack("<Q", 1)) + frame(DISPATCH, struct.pack("<Q12Q4Q", 5, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0)),
                window + allocate + frame(SUBMIT, struct.pack("<Q", 1)) + frame(READ, struct.pack("<6Q", 0x100000000000, 1 << 40, 1 << 40, 1 << 40, 1, 1))]
        for lie in lies:
            with self.subTest(lie[:40]):
                before = self.said()
                with socket.socket(socket.AF_UNIX) as s:
                    s.connect(where[5:])
                    _, challenge = receive(s)
                    mine = os.urandom(32)
                    s.sendall(frame(HELLO, struct.pack("<I", PROTOCOL) + mine + proof(TOKEN, 1, challenge[4:], mine)))
                    self.assertEqual(receive(s)[0], WELCOME)
                    s.sendall(lie)
                    s.settimeout(15)
                    try:
                        while s.recv(1 << 16):
                            pass
                    except ConnectionResetError:  # the server closed the connection with unread bytes
                        pass
                for _ in range(250):
                    if "a session ended: " in self.said()[len(before):]:
                        break
                    time.sleep(0.02)
                self.assertIn("a session ended: ", self.said()[len(before):])
        self.assertEqual(self.example("check", where).stdout, "ALL RIGHT\n")

    def test_reads_outside_of_an_allocation_are_refused(self):
        where = self.address()
        self.server(where)
        with socket.socket(socket.AF_UNIX) as s:
            s.connect(where[5:])
            _, challenge = receive(s)
            mine = os.urandom(32)
            s.sendall(frame(HELLO, struct.pack("<I", PROTOCOL) + mine + proof(TOKEN, 1, challenge[4:], mine)))
            receive(s)
            base = 0x100000000000
            s.sendall(frame(WINDOW, struct.pack("<QQ", base, 1 << 30)) + frame(ALLOCATE, struct.pack("<QQ", base, 4096)))
            self.assertEqual(receive(s), (WINDOW_TAKEN, b"\1"))
            for address, rows, pitch in ((base + 4000, 1, 0), (base + (1 << 20), 1, 0), (base, 2, 4000), (0x400000, 1, 0)):
                s.sendall(frame(SUBMIT, struct.pack("<Q", 1)) + frame(READ, struct.pack("<6Q", address, 128, rows, 1, pitch, 0)))
                kind, body = receive(s)
                self.assertEqual((kind, body), (DATA, b""))
                kind, body = receive(s)
                self.assertEqual((kind, body[0]), (DONE, 0))
                self.assertIn(b"the range ", body)


if __name__ == "__main__":
    unittest.main()
