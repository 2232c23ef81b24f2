import { spawn } from 'node:child_process'

/** Results go to stdout, this to stderr. */
export const progress = (text) => process.stderr.write(`  ${text}\n`)

const running = new Set()

/** A process that this bench ends, whatever happens. What it says on stderr is seen. */
export const startProcess = (command, parameters, options = {}) => {
  const child = spawn(command, parameters, { stdio: ['ignore', 'ignore', 'inherit'], ...options })
  running.add(child)
  const ended = new Promise((resolve) => {
    child.once('error', (error) => resolve({ error }))
    child.once('close', (code, signal) => resolve({ code, signal }))
  }).finally(() => running.delete(child))
  const stop = async () => {
    child.kill('SIGTERM')
    const patience = setTimeout(() => child.kill('SIGKILL'), 10_000)
    await ended
    clearTimeout(patience)
  }
  return { child, pid: child.pid, ended, stop }
}

/** Both signals: one that finishes its work after the first ends at once after the second. */
export const endAll = () => {
  for (const child of running) {
    child.kill('SIGTERM')
    child.kill('SIGINT')
  }
}

/** What a process wrote to stdout by its end. */
export const outputOf = async (command, parameters, options = {}) => {
  const { child, ended } = startProcess(command, parameters, { stdio: ['ignore', 'pipe', 'inherit'], ...options })
  const chunks = []
  child.stdout.on('data', (chunk) => chunks.push(chunk))
  const { error, code } = await ended
  if (error !== undefined || code !== 0) throw new Error(`${command} failed: ${error?.message ?? `exit code ${code}`}`)
  return Buffer.concat(chunks).toString()
}

/** Milliseconds until a process has ended; its output goes to /dev/null. */
export const timeOf = async (command, parameters, options = {}) => {
  const began = performance.now()
  const { error, code } = await startProcess(command, parameters, options).ended
  if (error !== undefined || code !== 0) throw new Error(`${command} failed: ${error?.message ?? `exit code ${code}`}`)
  return performance.now() - began
}

/** Runs with servers, and stops them. A server that could not be found has nothing to stop. */
export const withServers = async (starts, run) => {
  const servers = []
  try {
    for (const start of starts) servers.push(await start())
    return await run(servers)
  } finally {
    await Promise.all(servers.map(({ stop }) => stop?.()))
  }
}
