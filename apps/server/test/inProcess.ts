import { inspect } from 'node:util'
import { memoryPorts, type RawResponse, request, type World, type WorldSetting } from '@canopy/testkit'
import pino from 'pino'
import { Registry } from 'prom-client'
import { afterAll, afterEach, beforeAll } from 'vitest'
import type { RunningServer } from '../src/http/listen.js'
import { metricsIn } from '../src/observe/prometheus.js'
import type { Ports } from '../src/ports.js'
import type { ServerEnv } from '../src/server.js'
import { counted } from './observe/observing.js'
import { startApp } from './startApp.js'

type Headers = Readonly<Record<string, string>> | ReadonlyArray<readonly [string, string]>

export interface Service extends RunningServer {
  readonly ask: (target: string, headers?: Headers, method?: string) => Promise<RawResponse>
}

export const startService = async (...parameters: Parameters<typeof startApp>): Promise<Service> => {
  const service = await startApp(...parameters)
  const ask: Service['ask'] = (target, headers = [], method = 'GET') => {
    const all = Array.isArray(headers) ? headers : Object.entries(headers)
    const isNamed = all.some(([name]) => name === 'Host')
    return request(service.port, { method, target, headers: isNamed ? all : [['Host', 'localhost'], ...all] })
  }
  return { ...service, ask }
}

export const serviceOfFile = (...parameters: Parameters<typeof startApp>): Service => {
  let running: Service
  const service = { ask: (...asked: Parameters<Service['ask']>) => running.ask(...asked) } as Service
  beforeAll(async () => {
    running = await startService(...parameters)
    Object.assign(service, running)
  })
  afterAll(() => service.stop())
  return service
}

export const servedApps = () => {
  const started: Array<RunningServer> = []
  afterEach(() => Promise.all(started.splice(0).map(({ stop }) => stop())))
  return async (...parameters: Parameters<typeof startApp>): Promise<Service> => {
    const service = await startService(...parameters)
    started.push(service)
    return service
  }
}

export const observedApps = () => {
  const serve = servedApps()
  return async (ports: Ports, options: Partial<ServerEnv> = {}) => {
    const registry = new Registry()
    const { lines, log } = logged()
    const service = await serve(ports, { log, metrics: metricsIn(registry), ...options })
    const metrics = () => registry.metrics()
    return { ...service, lines, metrics, counts: async () => counted(await metrics()) }
  }
}

export const logged = (level = 'info') => {
  const lines: Array<Readonly<Record<string, unknown>>> = []
  return { lines, log: pino({ level }, { write: (line: string) => void lines.push(JSON.parse(line)) }) }
}

export const settingsAt = (visibilities: Readonly<Record<string, WorldSetting['visibility']>>) =>
  Object.entries(visibilities).map(([path, visibility]): WorldSetting => ({ path, visibility }))

/** The headers that are the same for the same answer. */
export const withoutOwn = ({ headers }: RawResponse) =>
  headers.filter(([name]) => name !== 'Date' && name !== 'X-Request-Id')

/** A promise and its `resolve`. Node 20 has no `Promise.withResolvers`. */
export const later = <A = void>() => {
  let give: (value: A) => void = () => undefined
  const value = new Promise<A>((resolve) => {
    give = resolve
  })
  return { value, give: (given: A): void => give(given) }
}

/** Ports over a world that return identical values, except nodes, until the world is replaced. */
export const steadyPorts = (first: World) => {
  let world = memoryPorts(first)
  const given = new Map<string, Promise<unknown>>()
  const names = ['areaOfToken', 'areaOfUser', 'settingsOf', 'list', 'triggerOf'] as const
  const steady =
    (name: (typeof names)[number]) =>
    (...args: ReadonlyArray<unknown>) =>
    async () => {
      const key = inspect([name, ...args.slice(0, 2)])
      const port = world[name] as (...all: typeof args) => () => Promise<unknown>
      return given.get(key) ?? given.set(key, port(...args)()).get(key)
    }
  const nodeAt: Ports['nodeAt'] = (area, path) => world.nodeAt(area, path)
  const ports: Ports = Object.assign({ nodeAt }, ...names.map((name) => ({ [name]: steady(name) })))
  const replace = (next: World): void => {
    world = memoryPorts(next)
    given.clear()
  }
  return { ports, replace }
}
