import { Envelope, Items, itemsAt, StoragePath, UserId } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Backend, coreBackend } from '../../src/backends/Backend.js'
import { memoryPorts } from '../../src/memory/memoryPorts.js'
import type { WorldNode } from '../../src/World.js'

const close = async (): Promise<void> => undefined

export const memory = coreBackend('the domain over memory', true, async (world) => ({
  ports: memoryPorts(world),
  close,
}))

/** Its listings for visitors leave out nothing but what is private. */
export const listsHidden: Backend = {
  ...memory,
  open: async (world) => {
    const { ask } = await memory.open(world)
    const ports = memoryPorts(world)
    return {
      close,
      ask: async (asked) => {
        const answer = await ask(asked)
        if (asked.operation !== 'userContentDirItems' || 'error' in answer) return answer
        const listed = await pipe(
          TE.Do,
          TE.bind('user', () => TE.fromOption(() => 'no user')(UserId.fromRawSegment(asked.credential))),
          TE.bind('requested', () => TE.fromOption(() => 'no path')(StoragePath.fromRaw(asked.path))),
          TE.bindW('settings', ({ user }) => ports.settingsOf(user)),
          TE.bindW('area', ({ user }) => ports.areaOfUser(user)),
          TE.flatMap(({ requested, settings, area }) =>
            pipe(
              ports,
              itemsAt(requested, {
                limit: O.fromNullable(asked.limit),
                after: O.fromNullable(asked.after),
              })({ area, settings, shows: ({ visibility }) => visibility !== 'private' }),
            ),
          ),
        )()
        return E.isRight(listed) ? { body: Envelope.dirContentJson(Items.collect(listed.right).items) } : answer
      },
    }
  },
}

const rounded = (node: WorldNode): WorldNode => {
  if (node.type === 'dir') return { ...node, content: node.content.map(rounded) }
  return node.type === 'file' ? { ...node, size: BigInt(Number(node.size)) } : node
}

/** Its sizes go through a double. */
export const roundsSizes: Backend = {
  ...memory,
  open: (world) =>
    memory.open({
      ...world,
      accounts: world.accounts.map((account) => ({
        ...account,
        area: account.area === 'missing' ? account.area : account.area.map(rounded),
      })),
    }),
}

export const silent: Backend = {
  ...memory,
  open: async () => ({ ask: async () => Promise.reject(new Error('nobody there')), close }),
}
