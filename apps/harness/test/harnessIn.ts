import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { temporaryDirectory } from '@canopy/test-support'
import { onTestFinished } from 'vitest'
import type { Printed } from '../src/Command.js'
import { harness } from '../src/harness.js'

type Variables = Readonly<Record<string, string>>

export const bin = fileURLToPath(new URL('../bin/canopy-harness.js', import.meta.url))

/** Runs the built command in its own process, like a person. */
export const spawned = (words: ReadonlyArray<string>, variables: Variables = {}): Promise<Printed> =>
  new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [bin, ...words],
      { env: { PATH: process.env['PATH'], ...variables }, maxBuffer: 2 ** 24 },
      (_, stdout, stderr) => resolve({ stdout, stderr, exit: child.exitCode as Printed['exit'] }),
    )
  })

const monitor = { onCheck: () => undefined, isInterrupted: () => false }

export const start = { version: '9.9.9', variables: {}, monitor, newSeed: () => 7 }

/** Runs the source in this process, without `main.ts`. */
export const ran = (argv: ReadonlyArray<string>, variables: Variables = {}, cwd = '/'): Promise<Printed> =>
  harness({ ...start, argv, cwd: () => cwd, variables })()

export const freshDirectory = async (): Promise<string> => temporaryDirectory(onTestFinished)
