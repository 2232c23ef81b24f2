import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fstatSync, readFileSync, statSync } from 'node:fs'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { shellWord } from '@canopy/installation'
import type { Invocation } from './Command.js'
import { canopy } from './program.js'

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }

/** Moves the cursor to the start of the line and clears it. */
const clearLine = '\r\u001b[K'
let progressShownAt: number | undefined

const writeStderr = (text: string): unknown => {
  const prefix = progressShownAt === undefined ? '' : clearLine
  progressShownAt = undefined
  return process.stderr.write(prefix + text)
}

/** Updates the last line of the terminal, at most ten times a second. */
const showOnTerminal = (text: string): void => {
  const now = performance.now()
  if (progressShownAt !== undefined && now - progressShownAt < 100) return
  progressShownAt = now
  process.stderr.write(clearLine + text.slice(0, (process.stderr.columns || 80) - 1))
}

// Without a terminal, doctor logs its progress every ten seconds, so that a disk that hangs is noticed.
let progress = ''
if (!process.stderr.isTTY && process.argv.includes('doctor'))
  setInterval(() => progress !== '' && writeStderr(`canopy: ${progress}\n`), 10_000).unref()

/** Asks on stderr, because stdout carries the result. Only y and yes confirm. */
const confirm = async (question: string): Promise<boolean> => {
  writeStderr(question)
  for await (const answer of createInterface({ input: process.stdin })) return /^y(es)?$/i.test(answer.trim())
  writeStderr('\n')
  return false
}

// The bundled SDK supports this Node. Its warning about later versions is for developers.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true'

const invocation: Invocation = {
  version: manifest.version,
  nodeVersion: process.versions.node,
  platform: process.platform,
  argv: process.argv.slice(2),
  cwd: () => process.cwd(),
  variables: process.env,
  showProgress: process.stderr.isTTY ? showOnTerminal : (text) => (progress = text),
  stdin: process.stdin,
  confirm: process.stdin.isTTY && process.stderr.isTTY ? confirm : undefined,
}
const { stdout, stderr, exit, undo = [], service } = await canopy(invocation)
// Clears the progress before the result, because both usually share a terminal.
writeStderr('')
process.exitCode = exit

const runUndo = async (onSuccess: (command: string) => unknown): Promise<void> => {
  for (const argv of undo) {
    const undone = await canopy({ ...invocation, variables: service?.variables ?? invocation.variables, argv })
    const data = service?.variables?.['CANOPY_DATA']
    const command = `\`${data === undefined ? '' : `CANOPY_DATA=${shellWord(data)} `}canopy ${argv.join(' ')}\``
    if (undone.exit === 0) onSuccess(command)
    else writeStderr(`${undone.stderr}canopy: could not revoke the token: run ${command}\n`)
  }
}

/** Revokes the secrets in an output that could not be written. */
const failOutput = async (reason: string): Promise<void> => {
  process.exitCode = 1
  writeStderr(`canopy: cannot write to standard output: ${reason}\n`)
  await runUndo((command) => writeStderr(`canopy: the token was revoked (${command})\n`))
}

process.stdout.on('error', (thrown: NodeJS.ErrnoException) => {
  // A reader may close the pipe early (`| head`). That fails only an output that cannot be repeated.
  if (thrown.code !== 'EPIPE' || undo.length > 0) void failOutput(thrown.message)
})
// If stderr is closed, its failure cannot be reported anywhere.
process.stderr.on('error', () => undefined)
// Node opens /dev/null where standard output is closed.
const isDiscarded = undo.length > 0 && fstatSync(process.stdout.fd).rdev === statSync('/dev/null').rdev
const writeResult = () => process.stdout.write(stdout)

/** Starts the server, another app, by the bundle that lies beside the one of this command. */
const startServer = (variables: Invocation['variables']): ChildProcess => {
  const bundle = fileURLToPath(new URL('../../server/dist/main.js', import.meta.url))
  const server = spawn(process.execPath, [bundle], {
    env: { ...process.env, ...variables },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    // In a process group of its own, because Ctrl-C signals a whole group, and a second signal ends the server at once.
    detached: true,
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)
    process.on(signal, () => server.kill(signal))
  return server
}

const runService = async ({ page, variables = {} }: NonNullable<typeof service>): Promise<void> => {
  const server = startServer(variables)
  const ended = once(server, 'exit')
  // The server sends a message once it listens.
  if (await Promise.race([once(server, 'message').then(() => true), ended.then(() => false)])) {
    writeResult()
    if (page !== undefined && process.stdout.isTTY) await (await import('open')).default(page).catch(() => undefined)
  }
  const [code] = (await ended) as [number | null]
  process.exitCode = code ?? 1
  // The links of this run end with it.
  await runUndo(() => undefined)
}

if (isDiscarded) await failOutput('it is closed or is /dev/null')
else if (service === undefined) writeResult()
else await runService(service)
writeStderr(stderr)
