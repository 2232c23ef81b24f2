import type { Failure } from '@canopy/domain'
import { target } from '../Ask.js'
import type { Answer } from '../scenarios/Scenario.js'
import type { World } from '../World.js'
import type { Door } from './Door.js'
import { type RawResponse, request } from './rawHttp.js'

const answerOf = ({ status, body, complete }: RawResponse): Answer => {
  const text = body.toString()
  if (!complete) return { body: `cut off: ${text}` }
  if (status === 200) return { body: text }
  const { error } = JSON.parse(text) as { readonly error: Failure.FailureName }
  return { error }
}

/** A service on a port of this machine, over raw sockets. */
export const httpDoor = (
  name: string,
  holdsEveryU64: boolean,
  serve: (world: World) => Promise<{ readonly port: number; readonly close: () => Promise<void> }>,
): Door => ({
  name,
  holdsEveryU64,
  open: async (world) => {
    const { port, close } = await serve(world)
    return { ask: async (ask) => answerOf(await request(port, { method: 'GET', target: target(ask) })), close }
  },
})
