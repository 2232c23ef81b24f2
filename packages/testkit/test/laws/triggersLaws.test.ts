import { Failure, type TriggerId, type TriggerValue } from '@canopy/domain'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe } from 'vitest'
import { triggersLaws } from '../../src/laws/registryLaws.js'
import type { WorldTrigger } from '../../src/World.js'
import { type Break, lawsCatch } from './brokenRegistries.js'

const triggers = (change: (trigger: WorldTrigger) => WorldTrigger): Break => ({
  world: (world) => ({ ...world, triggers: world.triggers.map(change) }),
})

const values = (change: (value: TriggerValue.TriggerValue) => TriggerValue.TriggerValue): Break => ({
  ports: (ports) => ({ ...ports, triggerOf: (id) => pipe(ports.triggerOf(id), TE.map(change)) }),
})

const json = (change: (json: string) => string): Break => values((value) => ({ ...value, json: change(value.json) }))

const asking = (change: (id: string, known: ReadonlyArray<string>) => string): Break => ({
  ports: (ports, world) => ({
    ...ports,
    triggerOf: (id) =>
      ports.triggerOf(
        change(
          id,
          world.triggers.map((trigger) => trigger.id),
        ) as TriggerId.TriggerId,
      ),
  }),
})

const like =
  (equal: (asked: string, known: string) => boolean) =>
  (asked: string, known: ReadonlyArray<string>): string =>
    known.find((one) => equal(asked, one)) ?? asked

const state = (from: WorldTrigger['state']): Break =>
  triggers((trigger) => (trigger.state === from ? { ...trigger, state: 'valid' } : trigger))

const firedByPeeking: Break = {
  ports: (ports) => {
    const fired = new Set<string>()
    return {
      ...ports,
      triggerOf: (id) => {
        const again = fired.has(id)
        fired.add(id)
        return again ? TE.left(Failure.triggerNotFound) : ports.triggerOf(id)
      },
    }
  },
}

describe('triggersLaws', () => {
  lawsCatch(triggersLaws, {
    'what a trigger holds is passed on as it is, to the byte': {
      'reads the JSON and writes it again': json((text) => JSON.stringify(JSON.parse(text))),
    },
    'a trigger has its type': {
      'takes an empty type for none': values((value) => ({ ...value, type: value.type || 'unknown' })),
    },
    'unknown, expired and deleted triggers are `trigger not found`': {
      'ignores expiry': state('expired'),
      'ignores deletion': state('deleted'),
    },
    'ids compare to the byte': {
      'folds case': asking(like((asked, known) => asked.toLowerCase() === known.toLowerCase())),
      'takes _ for any character': asking(
        like((asked, known) => asked === known || (/^_+$/.test(asked) && asked.length === known.length)),
      ),
    },
    'what is asked at once is answered as one after the other': {
      'answers the one who asked last': {
        ports: (ports) => {
          const last: { id?: TriggerId.TriggerId } = {}
          return {
            ...ports,
            triggerOf: (id) => async () => {
              last.id = id
              await Promise.resolve()
              return ports.triggerOf(last.id)()
            },
          }
        },
      },
    },
    'peeking changes nothing': { 'fires a trigger by peeking': firedByPeeking },
  })
})
