"""Clusters of processes on this machine, for tests and measurements.

`ray_cluster` starts Ray with a node for each worker, `spark_cluster` a Spark standalone master and workers with one core.
Both give a `Cluster`: its address, and the processes of its workers, which may be killed.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

BENCHES = Path(__file__).resolve().parent

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.setdefault("RAY_DEDUP_LOGS", "0")
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")


@dataclass
class Cluster:
    """A cluster that runs."""

    #: `ray` or `spark`.
    engine: str
    #: What drivers connect to.
    address: str
    #: The processes that do the work now.
    workers: Callable[[], list[int]]

    def kill_a_worker(self, number: int = 0) -> bool:
        """Kill one of the processes that do the work; false where there is none."""
        found = self.workers()
        if found:
            os.kill(found[number % len(found)], signal.SIGKILL)
        return bool(found)


def _environment() -> dict[str, str]:
    """Workers find what is beside this file, such as operators of tests."""
    paths = [str(BENCHES), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


def free_port() -> int:
    """A port that nothing listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@contextmanager
def ray_cluster(workers: int, store: int = 300_000_000, cpus: int = 2) -> Iterator[Cluster]:
    """Ray with a head that does no work, and a node for each worker: with two CPUs, so that tasks read beside an actor."""
    from ray.cluster_utils import Cluster as Nodes

    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = _environment()["PYTHONPATH"]
    # An address that other machines do not reach. Ray replaces 127.0.0.1 with that of the machine.
    local = {"node_ip_address": "127.0.0.2"}
    nodes = Nodes(
        initialize_head=True,
        head_node_args={"num_cpus": 0, "object_store_memory": 100_000_000, "include_dashboard": False, **local},
    )
    try:
        for _ in range(workers):
            nodes.add_node(num_cpus=cpus, object_store_memory=store, **local)
        nodes.wait_for_nodes()
        yield Cluster("ray", nodes.address, lambda: [pid for pid in descendants(os.getpid()) if _is_ray_task(pid)])
    finally:
        nodes.shutdown()
        os.environ.pop("PYTHONPATH") if before is None else os.environ.update(PYTHONPATH=before)


def _is_ray_task(pid: int) -> bool:
    """Not a process that waits for a task, and not an agent of a node: a node ends with its agents."""
    name = command_of(pid)
    return name.startswith("ray::") and not name.startswith("ray::IDLE") and "Agent" not in name


@contextmanager
def spark_cluster(workers: int, memory: str = "1g") -> Iterator[Cluster]:
    """Spark standalone: a master, and workers with one core each."""
    import pyspark

    home = Path(pyspark.__file__).parent
    environment = {**_environment(), "SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1"}
    port, page = free_port(), free_port()
    running: list[subprocess.Popen[bytes]] = []

    def start(name: str, *arguments: str) -> None:
        command = [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{name}", "--host", "127.0.0.1", *arguments]
        running.append(subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        try:
            start("master.Master", "--port", str(port), "--webui-port", str(page))
            _until(lambda: _alive(page) >= 0, "the master does not answer")
            for number in range(workers):
                options = ("--cores", "1", "--memory", memory, "--webui-port", "0", "--work-dir", f"{folder}/{number}")
                start("worker.Worker", *options, f"spark://127.0.0.1:{port}")
            _until(lambda: _alive(page) == workers, "the workers do not register")
            yield Cluster("spark", f"spark://127.0.0.1:{port}", lambda: [pid for pid in descendants(os.getpid()) if _is_executor(pid)])
        finally:
            for process in running:
                process.kill()
            for process in running:
                process.wait()


def _is_executor(pid: int) -> bool:
    return "CoarseGrainedExecutorBackend" in command_of(pid)


def _alive(page: int) -> int:
    """How many workers a master has; -1 where it does not answer."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{page}/json/", timeout=5) as answer:
            return int(json.load(answer)["aliveworkers"])
    except OSError:
        return -1


def _until(condition: Callable[[], bool], otherwise: str) -> None:
    end = time.monotonic() + 180
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(otherwise)
        time.sleep(0.3)


CLUSTERS = {"ray": ray_cluster, "spark": spark_cluster}


def command_of(pid: int) -> str:
    """The command line of a process; nothing where it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""


def _stat(pid: int) -> list[str]:
    """The fields of `/proc/PID/stat` after the name."""
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()


def descendants(pid: int) -> list[int]:
    """The processes below a process."""
    children: dict[int, list[int]] = {}
    for path in Path("/proc").iterdir():
        if path.name.isdigit():
            try:
                children.setdefault(int(_stat(int(path.name))[1]), []).append(int(path.name))
            except OSError:
                continue
    found, open_ = [], [pid]
    while open_:
        below = children.get(open_.pop(), [])
        found += below
        open_ += below
    return found


def keep_orphans() -> None:
    """Make this process the parent of all that it starts, also of those whose own parents end."""
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)


def cpu_seconds(pids: list[int]) -> float:
    """CPU seconds of processes and of their children that have ended."""
    total = 0
    for pid in pids:
        try:
            total += sum(map(int, _stat(pid)[11:15]))
        except OSError:
            continue
    return total / os.sysconf("SC_CLK_TCK")


def memory(pids: list[int]) -> int:
    """Bytes of memory of processes; what they share counts once."""
    total = 0
    for pid in pids:
        try:
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        total += sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
    return total
