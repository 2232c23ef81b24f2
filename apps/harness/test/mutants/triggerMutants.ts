import type { World, WorldTrigger } from '@canopy/testkit'
import { failing, withText } from './answers.js'
import type { Misanswering, Mutant } from './Mutant.js'
import { isPeek } from './targets.js'

const triggers =
  (change: (trigger: WorldTrigger) => WorldTrigger) =>
  (world: World): World => ({ ...world, triggers: world.triggers.map(change) })

const reviving = (state: 'expired' | 'deleted') =>
  triggers((trigger) => (trigger.state === state ? { ...trigger, state: 'valid' } : trigger))

const fired = (): Misanswering => {
  const seen = new Set<string>()
  return (answer, asked) => {
    if (!isPeek(asked) || answer.status !== 200) return answer
    const again = seen.has(asked.target)
    seen.add(asked.target)
    return again ? failing(answer, 404, 'trigger not found') : answer
  }
}

/** Triggers. */
export const triggerMutants: ReadonlyArray<Mutant> = [
  {
    name: 'finds an expired trigger',
    caughtBy: 'an expired trigger is not found',
    world: reviving('expired'),
  },
  {
    name: 'finds a deleted trigger',
    caughtBy: 'a deleted trigger is not found',
    world: reviving('deleted'),
  },
  {
    name: 'rounds the numbers of a trigger',
    caughtBy: 'a trigger is passed on as it is, to the last digit',
    world: triggers((trigger) =>
      trigger.state === 'valid' && trigger.value.startsWith('{')
        ? { ...trigger, value: JSON.stringify(JSON.parse(trigger.value)) }
        : trigger,
    ),
  },
  {
    name: 'corrects the spelling of the envelope',
    caughtBy: 'a trigger is passed on as it is, to the last digit',
    answered: (answer, asked) =>
      isPeek(asked) ? withText(answer, answer.body.toString().replace('trigger peak', 'trigger peek')) : answer,
  },
  {
    name: 'fires a trigger by peeking at it',
    caughtBy: 'a trigger that was peeked at is answered alike again: peeking does not fire it',
    answered: fired(),
  },
  {
    name: 'does not find a trigger whose stored value is broken',
    caughtBy: 'a trigger whose stored value is broken is external',
    world: (world) => ({ ...world, triggers: world.triggers.filter(({ value }) => value.startsWith('{')) }),
  },
  {
    name: 'does not decode a trigger id',
    caughtBy: 'a trigger id is decoded like any segment',
    asked: (asked) => (isPeek(asked) ? { ...asked, target: asked.target.replace(/%/g, '%25') } : asked),
  },
  {
    name: 'allows a slash behind a trigger id',
    caughtBy: '/api/triggers/v1/peek/doorbell/ is no route',
    asked: (asked) => (isPeek(asked) ? { ...asked, target: asked.target.replace(/\/$/, '') } : asked),
  },
]
