import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { canopy, createPublic, startCanopy } from '../canopy.mjs'
import { compared, judged } from '../figures.mjs'
import { residentNow } from '../memory.mjs'
import { count } from '../numbers.mjs'
import { names } from '../plant.mjs'
import { progress, withServers } from '../processes.mjs'
import { startAutoindex } from '../references/nginx.mjs'
import { rounds } from '../rounds.mjs'

const largeBytes = 64 * 2 ** 20
const smallBytes = 100_000
const connections = 16
const stalled = 100

/** Reads a whole file, and gives its length. */
const read = (port, path, agent) =>
  new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, agent }, (response) => {
      let length = 0
      response.on('data', (chunk) => {
        length += chunk.length
      })
      response.on('end', () => resolve(length)).on('error', reject)
    }).on('error', reject)
  })

/** Files per second, each read once. */
const readAll = async (port, paths) => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const left = [...paths]
  const startedAt = performance.now()
  const reader = async () => {
    for (let path = left.pop(); path !== undefined; path = left.pop())
      if ((await read(port, path, agent)) !== smallBytes) throw new Error(`another length at ${path}`)
  }
  await Promise.all(Array.from({ length: connections }, reader))
  agent.destroy()
  return (paths.length * 1000) / (performance.now() - startedAt)
}

/** Megabytes that the server takes for downloads whose clients do not read, less than before. */
const memoryOfStalled = async ({ port, pid }, path) => {
  const idle = residentNow(pid)
  const requests = Array.from({ length: stalled }, () => get({ host: '127.0.0.1', port, path, agent: false }))
  await Promise.all(requests.map((request) => once(request, 'response')))
  const taken = residentNow(pid) - idle
  for (const request of requests) request.on('error', () => undefined).destroy()
  return taken
}

const plant = async (data, smallFiles) => {
  await createPublic(canopy(data), '1')
  const area = join(data, 'areas/1')
  writeFileSync(join(area, 'large.bin'), Buffer.alloc(largeBytes, 'x'))
  mkdirSync(join(area, 'many'))
  const many = names(smallFiles, 'f', '.bin')
  for (const name of many) writeFileSync(join(area, 'many', name), Buffer.alloc(smallBytes, 'x'))
  return { area, many }
}

export const files = {
  name: 'files',
  title: 'Files',
  run: async ({ directory, load, options }) => {
    const data = join(directory, 'files')
    const { area, many } = await plant(data, options.quick ? 500 : 10_000)
    const starts = [() => startCanopy(data, { CANOPY_FILES: 'on' }), () => startAutoindex(area)]
    return withServers(starts, async ([ours, nginx]) => {
      const servers = nginx.missing === undefined ? [ours, nginx] : [ours]
      const prefixOf = (server) => (server === ours ? '/files/id/1' : '')
      const row = async (what, unit, target, measure) => {
        progress(what)
        const [own, values] = await rounds(options.rounds, servers, measure)
        return compared({ what, unit, ours: own, reference: { ...nginx, values }, target })
      }
      const memory = await memoryOfStalled(ours, '/files/id/1/large.bin')
      const large = (open) => (server) =>
        load({
          port: server.port,
          path: `${prefixOf(server)}/large.bin`,
          bytesAtLeast: largeBytes,
          seconds: options.seconds,
          connections: open,
        })
      return [
        await row('64 MiB, 1 connection', '/s', { atLeast: 0.4 }, large(1)),
        await row('64 MiB, 4 connections', '/s', { atLeast: 0.4 }, large(4)),
        await row(`${count(many.length)} files of 100 KB, ${connections} connections`, '/s', undefined, (server) =>
          readAll(
            server.port,
            many.map((name) => `${prefixOf(server)}/many/${name}`),
          ),
        ),
        judged({
          what: `memory of ${stalled} downloads whose clients do not read`,
          unit: 'MB',
          ours: [memory],
          target: { atMost: 100 },
        }),
      ]
    })
  },
}
