"""``python -m paddle.distributed.launch``: print the configuration, start the ranks, watch them, restart them."""

import os
import signal
import sys
import time

from ...core.addresses import lookup as _lookup
from . import rendezvous
from .job import NO_RANKS, Job, describe_failure
from .mpiexec import job_command, job_environment
from .options import LOG_LEVELS, configuration_lines, parse
from .plan import Plan, local_devices, make_plan

ENDING, OTHERS = (tuple(getattr(signal, name) for name in names.split() if hasattr(signal, name))  # Windows lacks some
                  for names in ("SIGINT SIGTERM SIGHUP", "SIGUSR1 SIGUSR2"))
FORWARDED = ENDING + OTHERS
STOPPED_NODE = 0
ELASTIC_RESTARTS = 3  # where --max_restart says nothing, as in Paddle
NOTICE_SECONDS = 0.5  # for the end of a connection to arrive


class Launcher:
    """One call of the launcher: options, plan, and the job that runs at the moment."""

    def __init__(self, options, plan, current):
        self.options, self.plan, self.current = options, plan, current
        self.rank_command = [sys.executable, "-u", options.training_script, *options.training_script_args]
        self.job = None
        self.ending = None  # (signal, time after which the job is killed)
        self.most_restarts = options.max_restart

    def start(self, env):
        """Start the job once; mpiexec reaches the other machines by itself."""
        return Job(job_command(self.plan, self.rank_command, self.options.launcher, self.options.launcher_exec,
                               self.options.iface, self.current), env)

    def say(self, level, text):
        """Print one of the launcher's own lines if the log level lets it through."""
        if LOG_LEVELS[level] >= LOG_LEVELS[self.options.log_level]:
            stamp = time.strftime("%Y-%m-%d %H:%M:%S")
            for line in text.splitlines():
                print(f"LAUNCH {level} {stamp} {line}", file=sys.stderr, flush=True)

    def on_signal(self, signum, _frame):
        """Hand the signal to the ranks; one that asks for the end also starts the clock."""
        if signum in ENDING:
            if self.ending is None:
                self.ending = (signum, time.monotonic() + self.options.grace)
            signum = signal.SIGTERM if signum == signal.SIGHUP else signum
        if self.job is not None:
            self.job.signal(signum)

    def watch(self):
        """Exit code of the running job; a job asked to end is killed when its grace is over."""
        while True:
            code = self.job.wait(0.2 if self.ending else 1.0)
            if code is not None:
                return code
            if self.ending and time.monotonic() > self.ending[1]:
                self.say("WARNING", f"ranks still run {self.options.grace:g} s after the signal; killing them")
                self.job.end()

    def renew(self):
        """Make ready for another start; False if there can be none."""
        return True

    def run(self):
        """Run the job, again after a failure while --max_restart allows; return the exit code."""
        handlers = {signum: signal.signal(signum, self.on_signal) for signum in FORWARDED}
        restarts = 0
        try:
            while True:
                env = job_environment(
                    self.plan, os.environ, self.options.log_dir,
                    append=restarts > 0 or (self.options.modern and not self.options.log_overwrite),
                    echo_rank=0 if self.options.modern else None, restarts=restarts, iface=self.options.iface)
                self.job = self.start(env)
                code = self.watch()
                if self.ending:
                    return 128 + self.ending[0]
                if code == 0:
                    return 0
                for report in self.job.failures:
                    self.say("ERROR", describe_failure(report))
                if not self.job.failures:
                    self.say("ERROR", f"mpiexec ended with exit code {code} before any rank reported")
                if restarts >= self.most_restarts or not self.renew():
                    return code
                restarts += 1
                self.say("WARNING", f"starting again, {restarts} of {self.most_restarts}")
        finally:
            if self.job is not None:
                self.job.end()
            for signum, handler in handlers.items():
                signal.signal(signum, handler)


class MeetingLauncher(Launcher):
    """The launcher of the first of several machines that met at --master: each starts its own share of the job."""

    def __init__(self, options, plan, current, meeting):
        super().__init__(options, plan, current)
        self.meeting = meeting
        if self.elastic and not options.max_restart:
            self.most_restarts = ELASTIC_RESTARTS

    @property
    def elastic(self):
        """May the number of machines vary?"""
        return self.meeting.least < self.meeting.most

    def renew(self):
        """Take the machines that are left, and those that came, if there are enough of them."""
        if not self.elastic:
            return True
        time.sleep(NOTICE_SECONDS)  # a machine whose ranks died may be gone itself
        try:
            gone, changed = self.meeting.renew(self.options.join_timeout)
        except OSError as error:
            self.say("ERROR", str(error))
            return False
        if gone:
            self.say("WARNING", f"without {', '.join(gone)} from now on")
        if changed:
            self.plan = Plan(self.meeting.nodes(), self.plan.devices, self.plan.start_port)
            self.say("INFO", f"{len(self.plan.nodes)} machines, {self.plan.size} ranks: {','.join(self.plan.endpoints)}")
        return True

    def start(self, env):
        """Start mpiexec, which names one proxy per machine, and hand each machine its own."""
        command = job_command(self.plan, self.rank_command, "manual", None, self.options.iface, self.current)
        if self.plan.size == 1:
            return Job(command, env)
        return Job(command, env, intercept=self.meeting.dispatcher(len(self.plan.nodes)))

    def watch(self):
        """As for one machine, and a machine whose launcher is gone ends the job."""
        while (code := self.job.wait(0.2)) is None:
            lost = self.meeting.lost()
            if lost and not self.ending:
                self.say("ERROR", f"lost the launcher on {', '.join(lost)}; ending the job")
                if self.elastic:
                    return self.job.end() or 1
                self.ending = (signal.SIGTERM, time.monotonic())
            if self.ending and time.monotonic() > self.ending[1]:
                self.job.end()
        return code


def meet(options):
    """Meet the launchers of the other machines at --master and run this machine's share of the job."""
    role, member = rendezvous.join(options, len(local_devices(options, os.environ)))
    if options.print_config:
        print("\n".join(configuration_lines(options)), flush=True)
    if role == "follower":
        return member.follow(options.grace)
    with member as meeting:
        plan = Plan(meeting.nodes(), local_devices(options, os.environ), options.start_port)
        launcher = MeetingLauncher(options, plan, meeting.address, meeting)
        launcher.say("INFO", f"{len(plan.nodes)} machines, {plan.size} ranks: {','.join(plan.endpoints)}")
        code = launcher.run()
        meeting.close(code)
        return code


def main(argv=None):
    """Run the launcher with a command line; return its exit code."""
    options = parse(sys.argv[1:] if argv is None else argv)
    if not hasattr(os, "fork"):
        print(f"paddle launch: {NO_RANKS}", file=sys.stderr)
        return 1
    try:
        if options.nnodes != "1" or options.master:
            return meet(options)
        plan, current = make_plan(options, os.environ)
        if options.print_config:
            print("\n".join(configuration_lines(options)))
            if not options.modern:
                print(plan.summary(current))
            sys.stdout.flush()
        if current != plan.nodes[0].address:
            print(f"the ranks of this machine are started by the launcher on {plan.nodes[0].address}, "
                  f"the first of the machines; nothing to do here", file=sys.stderr)
            return STOPPED_NODE
        return Launcher(options, plan, current).run()
    except (ValueError, ImportError, OSError) as error:
        print(f"launch: {error}", file=sys.stderr)
        return 2


__getattr__ = _lookup(__name__)
