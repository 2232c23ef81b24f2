import { memoryPorts, type World } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Ports } from '../../src/ports.js'

/** Ports over a world, which give the very same value until the world is replaced. */
export const steadyPorts = (first: World) => {
  const world = { ports: memoryPorts(first), given: new Map<string, unknown>() }
  const steady =
    <F, A>(key: string, ask: () => TE.TaskEither<F, A>): TE.TaskEither<F, A> =>
    async () => {
      const known = world.given.get(key)
      if (known !== undefined) return E.right(known as A)
      const answer = await ask()()
      if (E.isRight(answer)) world.given.set(key, answer.right)
      return answer
    }
  const ports: Ports = {
    areaOfToken: (token) => steady(`token ${token}`, () => world.ports.areaOfToken(token)),
    areaOfUser: (user) => steady(`user ${user}`, () => world.ports.areaOfUser(user)),
    settingsOf: (owner) => steady(`settings ${owner}`, () => world.ports.settingsOf(owner)),
    nodeAt: (area, path) => world.ports.nodeAt(area, path),
    list: (area, path) => steady(`list ${area.location} ${path}`, () => world.ports.list(area, path)),
    triggerOf: (id) => steady(`trigger ${id}`, () => world.ports.triggerOf(id)),
  }
  return {
    ports,
    replace: (next: World): void => {
      world.ports = memoryPorts(next)
      world.given.clear()
    },
  }
}
