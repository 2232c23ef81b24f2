import { Area, type Entry, StoragePath, UserId } from '@canopy/domain'
import type { RawBackend } from '@canopy/test-support'
import { memoryPorts, type Ports, type RawRequest, type RawResponse, type World } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'

type Entries = ReadonlyArray<Entry.Entry>

/** Services that tell a visitor of nodes which the visitor may not see, each in one way. */
export interface Leak {
  readonly name: string
  readonly portsOf: (world: World) => Ports
  readonly spoil: (backend: RawBackend) => RawBackend
}

// Through the ports: everything a directory holds is turned into something else before anyone chooses what is shown.

const throughPorts = (name: string, spoilt: (entries: Entries) => Entries): Leak => ({
  name,
  portsOf: (world) => {
    const ports = memoryPorts(world)
    const list: Ports['list'] = (area, path) =>
      pipe(
        ports.list(area, path),
        TE.map((listing) => ({ ...listing, entries: spoilt([...listing.entries]) })),
      )
    return { ...ports, list }
  },
  spoil: (backend) => backend,
})

// Through the answer: what was asked is looked up once more, for the owner's eyes.

const entriesAt = async (world: World, target: string): Promise<O.Option<Entries>> => {
  const [, user = '', path = ''] = /^\/api\/usercontent\/v1\/[a-z]+\/id\/([^/?]*)([^?]*)/.exec(target) ?? []
  const asked = pipe(
    O.Do,
    O.bind('owner', () => UserId.fromRawSegment(user)),
    O.bind('requested', () => StoragePath.fromRaw(path)),
  )
  if (O.isNone(asked)) return O.none
  const { owner, requested } = asked.value
  const listed = await memoryPorts(world).list({ owner, location: Area.location(String(owner)) }, requested.path)()
  return E.isRight(listed) ? O.some([...listed.right.entries]) : O.none
}

const throughAnswers = (
  name: string,
  spoilt: (request: RawRequest, response: RawResponse, entries: O.Option<Entries>) => RawResponse,
): Leak => ({
  name,
  portsOf: memoryPorts,
  spoil: (backend) => ({
    ...backend,
    open: async (world) => {
      const { send, close } = await backend.open(world)
      return {
        close,
        send: async (requests) => {
          const responses = await send(requests)
          return Promise.all(
            requests.map(async (request, index) => {
              const response = responses[index]
              if (response === undefined) throw new Error('an answer is missing')
              return spoilt(request, response, await entriesAt(world, request.target))
            }),
          )
        },
      }
    },
  }),
})

const sizeOf = (entries: Entries): bigint =>
  entries.reduce((sum, entry) => sum + (entry.type === 'file' ? entry.size : 0n), 0n)

const limitOf = ({ target }: RawRequest): number => Number(/[?&]limit=(\d+)/.exec(target)?.[1])

export const leaks: ReadonlyArray<Leak> = [
  throughPorts('the size of a visible file is that of everything beside it', (entries) =>
    entries.map((entry) => (entry.type === 'file' ? { ...entry, size: sizeOf(entries) as typeof entry.size } : entry)),
  ),
  throughPorts('the order of a listing turns with the number of everything in it', (entries) =>
    entries.length % 2 === 0 ? entries : [...entries].reverse(),
  ),
  throughAnswers('the link to a next page counts everything in the directory', (request, response, entries) =>
    response.status === 200 && O.isSome(entries) && entries.value.length > limitOf(request)
      ? { ...response, headers: [...response.headers.filter(([key]) => key !== 'Link'), ['Link', '<?after=x>']] }
      : response,
  ),
  throughAnswers('the entity tag is one of everything in the directory', (_, response, entries) => ({
    ...response,
    headers: response.headers.map(([key, value]) =>
      key === 'ETag' && O.isSome(entries) ? [key, entries.value.map(({ name }) => name).join()] : [key, value],
    ),
  })),
  throughAnswers('below a private directory only what exists is refused', (_, response, entries) =>
    response.status === 403 && O.isNone(entries) ? { ...response, status: 404 } : response,
  ),
]
