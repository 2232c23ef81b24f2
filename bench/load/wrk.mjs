import { fileURLToPath } from 'node:url'
import { outputOf } from '../processes.mjs'

const script = fileURLToPath(new URL('report.lua', import.meta.url))

/** Closed loop by wrk: each connection asks again as soon as it is answered. */
export const byWrk =
  (wrk) =>
  async ({ port, path, headers = {}, seconds, connections }) => {
    const out = await outputOf(wrk, [
      '--threads=1',
      `--connections=${connections}`,
      `--duration=${seconds}s`,
      '--timeout=30s',
      `--script=${script}`,
      ...Object.entries(headers).map(([name, value]) => `--header=${name}: ${value}`),
      `http://127.0.0.1:${port}${path}`,
    ])
    const { requests, bytes, microseconds, refused, broken } = JSON.parse(out.trimEnd().split('\n').at(-1))
    return { answers: requests, seconds: microseconds / 1e6, bytesEach: bytes / requests, refused, broken }
  }
