import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'

export type Daemon = ReturnType<typeof startDaemon>

/** A server of one test. It is killed when the run exits. */
export const startDaemon = (
  program: string,
  parameters: ReadonlyArray<string>,
  env: NodeJS.ProcessEnv = process.env,
) => {
  const child: ChildProcess = spawn(program, parameters, { env, detached: true, stdio: ['ignore', 'ignore', 'pipe'] })
  const said: string[] = []
  child.stderr?.on('data', (text: Buffer) => said.push(text.toString()))
  /** Kills it with its child processes. */
  const kill = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // All of them have ended.
    }
  }
  process.once('exit', kill)
  /** Resolves with its stderr when it has ended. */
  const ended = once(child, 'exit').then(
    async () => {
      // Its children may keep stderr open.
      await Promise.race([once(child, 'close'), setTimeout(200)])
      return `${program} ended:\n${said.join('')}`
    },
    (error: unknown) => `${program} cannot be started: ${String(error)}`,
  )
  return {
    pid: child.pid,
    ended,
    kill,
    stop: async () => {
      kill()
      await ended
      process.off('exit', kill)
    },
  }
}

const answers = async (url: string): Promise<boolean> => {
  try {
    await (await fetch(url)).arrayBuffer()
    return true
  } catch {
    return false
  }
}

export const until = async (isSo: () => Promise<boolean>, daemons: ReadonlyArray<Daemon>): Promise<void> => {
  const failed = Promise.race(daemons.map(({ ended }) => ended)).then((why) => Promise.reject(new Error(why)))
  while (!(await Promise.race([isSo(), failed]))) await Promise.race([setTimeout(50), failed])
  failed.catch(() => undefined)
}

export const answered = (url: string, daemons: ReadonlyArray<Daemon>): Promise<void> =>
  until(() => answers(url), daemons)

export type Environment = Readonly<Record<string, string | undefined>>

/** Finds a program in `PATH` or `/usr/sbin`, which users may not have there. */
export const programAt = (program: string, environment: Environment): string | undefined =>
  [...(environment['PATH'] ?? '').split(delimiter), '/usr/sbin']
    .map((folder) => join(folder, program))
    .find((path) => existsSync(path))

/** Looks for programs, and returns how to install them if one is missing. */
export const findPrograms =
  (what: string, packages: string, programs: ReadonlyArray<string>) =>
  (environment: Environment): E.Either<string, void> =>
    programs.every((program) => programAt(program, environment) !== undefined)
      ? E.right(undefined)
      : E.left(
          `${what} is not installed here: install ${packages} (Debian, Ubuntu: apt-get install --no-install-recommends)`,
        )
