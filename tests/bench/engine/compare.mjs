// Drives both servers with 64 clients, alternately, and prints the cycles per second and what a cycle costs.

import fs from "node:fs";
import path from "node:path";
import { Client } from "./client.mjs";
import { startCountersign, startEngine } from "./servers.mjs";

const CLIENTS = 64;
const ROUNDS = 5;
const TICKS_PER_SECOND = 100;

const [program, cycles] = [process.argv[2], Number(process.argv[3])];
const callArguments = (id) => ({ command: `git show --stat ${id}`, cwd: "/home/ada/project" });

/** Propose, decide, claim and finish: four requests, each answered after its commit. */
async function countersignCycle(client, thread, id) {
  const calls = `/v1/threads/${thread}/tool-calls`;
  const proposal = { id, name: "bash", arguments: callArguments(id) };
  const { argumentsHash } = JSON.parse(await client.send("POST", calls, proposal));
  await client.send("POST", `/v1/threads/${thread}/approvals/${id}`, { decision: "allow_once" });
  await client.send("POST", `${calls}/${id}/claim`, { executor: "worker", argumentsHash });
  await client.send("POST", `${calls}/${id}/result`, { status: "success", content: "ok" });
}

/** Starts the workflow, decides, and waits for its end: three requests. The workflow claims and records by itself. */
async function engineCycle(client, thread, id) {
  const key = `${thread}-${id}`;
  await client.send("POST", `/approval/${key}/run/send`, { id, name: "bash", arguments: callArguments(id) });
  await client.send("POST", `/approval/${key}/decide`, { decision: "allow_once" });
  const result = JSON.parse(await client.send("GET", `/restate/workflow/approval/${key}/attach`));
  if (result.status !== "success" || result.decision.decision !== "allow_once") throw new Error(`unexpected ${result}`);
}

/** The processor time of a process in microseconds: fields 14 and 15 of proc_pid_stat(5). */
function processorTime(pid) {
  const fields = fs.readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /s, "").split(" ");
  return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND) * 1e6;
}

/** Runs a round of cycles. Returns the rate, and the processor time of each process and of this one per cycle. */
async function measure(server, cycle, round, each) {
  const clients = Array.from({ length: CLIENTS }, () => new Client(server.port, server.tokens));
  const pids = [...server.processes, process.pid];
  const before = pids.map(processorTime);
  const began = performance.now();
  await Promise.all(
    clients.map(async (client, n) => {
      for (let call = 0; call < each; call++) await cycle(client, `thread-${n}`, `call_${round}_${call}`);
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  const cpu = pids.map((pid, n) => (processorTime(pid) - before[n]) / (CLIENTS * each));
  for (const client of clients) client.close();
  return { rate: (CLIENTS * each) / seconds, server: cpu[0], service: cpu.length > 2 ? cpu[1] : 0, client: cpu.at(-1) };
}

const median = (rounds, of) => rounds.map(of).sort((a, b) => a - b)[Math.floor(rounds.length / 2)];

const folders = ["countersign", "engine"].map((name) => path.resolve(name));
for (const folder of folders) fs.mkdirSync(folder);
const compared = [
  { name: "`countersign serve`", server: await startCountersign(program, folders[0]), cycle: countersignCycle, rounds: [] },
  { name: "Restate 1.7.12", server: await startEngine(folders[1]), cycle: engineCycle, rounds: [] },
];
// The first cycles prepare statements and open files.
for (const { server, cycle } of compared) await measure(server, cycle, "first", 5);
for (let round = 0; round < ROUNDS; round++) {
  for (const each of compared) {
    const others = compared.filter((other) => other !== each).flatMap((other) => other.server.processes);
    // A server works after its last answer too, and the other one needs both processors.
    for (const other of others) process.kill(other, "SIGSTOP");
    each.rounds.push(await measure(each.server, each.cycle, round, cycles));
    for (const other of others) process.kill(other, "SIGCONT");
  }
}
console.log(`| ${CLIENTS} clients, median of ${ROUNDS} × ${CLIENTS * cycles} cycles | rate | CPU of the server | of the service with the workflow | of the client |`);
console.log("| --- | --- | --- | --- | --- |");
for (const { name, rounds } of compared) {
  const microseconds = (of) => `${median(rounds, of).toFixed(0)} µs`;
  const costs = [microseconds((r) => r.server), microseconds((r) => r.service), microseconds((r) => r.client)];
  console.log(`| ${name} | ${median(rounds, (r) => r.rate).toFixed(0)} /s | ${costs.join(" | ")} |`);
}
process.exit(0);
