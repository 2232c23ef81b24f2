import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { outputOf } from '../processes.mjs'

const script = fileURLToPath(new URL('report.lua', import.meta.url))

/** Closed loop by wrk: each connection asks again as soon as it is answered. */
export const byWrk =
  (wrk, directory) =>
  async ({ port, paths, headers = {}, seconds, connections }) => {
    const targets = join(directory, 'targets')
    writeFileSync(targets, paths.map((path) => `${path}\n`).join(''))
    const out = await outputOf(wrk, [
      '--threads=1',
      `--connections=${connections}`,
      `--duration=${seconds}s`,
      '--timeout=30s',
      `--script=${script}`,
      ...Object.entries(headers).map(([name, value]) => `--header=${name}: ${value}`),
      `http://127.0.0.1:${port}${paths[0]}`,
      ...(paths.length > 1 ? ['--', targets] : []),
    ])
    const { requests, bytes, microseconds, refused, broken } = JSON.parse(out.trimEnd().split('\n').at(-1))
    return { answers: requests, seconds: microseconds / 1e6, bytesEach: bytes / requests, refused, broken }
  }
