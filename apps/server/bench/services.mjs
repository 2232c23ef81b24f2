// Services for measuring and for long checks, from the build.
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openRegistry } from '@canopy/registry'
import { openRegistryWriter } from '@canopy/registry/admin'
import { cachedListings, changeEvents, fsStorage, StorageRoot } from '@canopy/storage-fs'
import { removeDirectory, seedDirectory, seedRegistry } from '@canopy/testkit'
import pino from 'pino'
import { listen } from '../dist/http/listen.js'
import { unlimited } from '../dist/limits/failedLookups.js'
import { readiness } from '../dist/observe/health.js'
import { server } from '../dist/server.js'

/** Nothing is refused for being too much: the checks ask a great deal, also with tokens that do not exist. */
const env = {
  readiness: readiness({}),
  limitLookups: unlimited,
  mountOf: () => undefined,
  treeNodes: 1_000_000,
  firstByteMs: 30_000,
  answerMs: 3_600_000,
  portMs: 25_000,
  connections: { maxConnections: 10_000, idleMs: 65_000 },
  maxAdmitted: 10_000,
  cacheBytes: 10_000_000,
  unread: { bytes: 0, patienceMs: 0 },
  basePath: '',
  pages: [],
  log: pino({ level: 'silent' }),
}

export const right = async (task) => {
  const outcome = await task()
  if (outcome._tag === 'Left') throw new Error(JSON.stringify(outcome.left))
  return outcome.right
}

/** The service in this process, on a free port, over any ports; `prepare` may listen to its requests before it does. */
export const serve = (ports, prepare = () => undefined) => {
  const service = server({ ...env, ports })
  prepare(service.server)
  return right(listen(service, { host: '127.0.0.1', port: 0 }))
}

/** Makes a data directory hold a world, as files and SQLite. */
export const seedData = async (data, world) => {
  for (const { id, area } of world.accounts) await seedDirectory(join(data, 'areas', id), area)
  const writer = await right(openRegistryWriter({ engine: 'SQLite', path: join(data, 'registry.sqlite') }))
  try {
    await right(seedRegistry(writer)(world))
  } finally {
    await writer.close()
  }
}

/** The ports over a data directory, as the server has them. */
export const openData = async (data) => {
  const { close, ...registry } = await right(openRegistry({ engine: 'SQLite', path: join(data, 'registry.sqlite') }))
  const root = await right(async () => StorageRoot.fromText(data)('file:areas'))
  return { ports: { ...registry, ...cachedListings(fsStorage(root), changeEvents(root), 10_000_000) }, close }
}

/** The service over a new data directory that holds a world. */
export const serveFiles = async (world) => {
  const data = await mkdtemp(join(tmpdir(), 'canopy-files-'))
  await seedData(data, world)
  const { ports, close } = await openData(data)
  const { port, stop } = await serve(ports)
  return {
    port,
    close: async () => {
      await stop()
      await close()
      await removeDirectory(data)
    },
  }
}
