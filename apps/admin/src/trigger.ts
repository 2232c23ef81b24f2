import { randomBytes } from 'node:crypto'
import { TriggerId, TriggerValue } from '@canopy/domain'
import { causeOf, shellWord } from '@canopy/installation'
import type { BrokenTrigger, StoredTrigger, TriggerRecord } from '@canopy/registry/admin'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { parse } from 'lossless-json'
import * as Argument from './Argument.js'
import { type Options, type Outcome, type ReadEnv, typed, type Words, type WriteEnv } from './Command.js'
import { type Problem, wrongUsage } from './Problem.js'
import { report, table } from './Report.js'

/** The command that removes a trigger, as a shell takes it. */
export const deletionOf = (id: TriggerId.TriggerId): string =>
  `\`canopy trigger delete ${id.startsWith('-') ? '-- ' : ''}${shellWord(id)}\``

/** What is wrong with a trigger, and what to do. */
export const brokenMessage = ({ id, cause }: BrokenTrigger): string => {
  const hint = TriggerId.is(id)
    ? `${deletionOf(id)}, then make it again`
    : 'it is no id that can be asked for: remove its row from the table triggers'
  return `${causeOf(cause)}: peeking it answers \`external\`: ${hint}`
}

export const triggerJson = ({ id, value, expires }: TriggerRecord) => ({
  id,
  // A value that another program wrote may have a field twice: the last one counts, as in JSON.parse.
  value: parse(value.json, undefined, { onDuplicateKey: ({ newValue }) => newValue }),
  expires: Argument.expiresJson(expires),
})

const storedJson = (trigger: StoredTrigger): unknown =>
  E.isRight(trigger)
    ? triggerJson(trigger.right)
    : { id: trigger.left.id, value: null, expires: null, broken: brokenMessage(trigger.left) }

export const peekUrl = (baseUrl: string, id: TriggerId.TriggerId): string =>
  `${baseUrl}/api/triggers/v1/peek/${encodeURIComponent(id)}`

/** 16 random bytes. None begins with "-", which a command line would take for an option. */
export const newTriggerId = (): TriggerId.TriggerId =>
  randomBytes(16).toString('base64url').replace(/^-/, '_') as TriggerId.TriggerId

/** `{"type":TYPE` and, digit for digit, the fields of an object's own text. */
const withType = (type: string, fields: object, json: string): string => {
  if (Object.hasOwn(fields, 'type')) return json.trim()
  const head = `{"type":${JSON.stringify(type)}`
  return Object.keys(fields).length === 0 ? `${head}}` : `${head},${json.trim().slice(1).trimStart()}`
}

/**
 * What a trigger of this type holds. The fields of `--value` stay as they were typed: a number above 2^53, `1.0` and `1e400`
 * survive. Two fields of one name with different values are refused, and so is a `type` that contradicts `--type`.
 */
export const triggerValue = (type: string, json: string): E.Either<Problem, TriggerValue.TriggerValue> =>
  pipe(
    Argument.jsonObject('--value', 'write it as \'{"path":"/photos"}\'')(json),
    E.filterOrElse(
      (fields) => !Object.hasOwn(fields, 'type') || fields['type'] === type,
      () =>
        wrongUsage(`--value has a field "type" that is not ${JSON.stringify(type)}`, 'leave it out, --type sets it'),
    ),
    E.flatMap((fields) =>
      pipe(
        TriggerValue.fromJson(withType(type, fields, json)),
        E.mapLeft((message) => wrongUsage(`--value: ${message}`)),
      ),
    ),
  )

export const create = async (env: WriteEnv, _: Words, options: Options): Promise<Outcome> => {
  const { type = '', expires } = options
  if (options.id === '-' && options.value === '-')
    return TE.left(wrongUsage('standard input holds one of --id and --value', 'write the other one'))
  const id = options.id && (await typed(env, options.id))
  const value = await typed(env, options.value ?? '{}')
  return pipe(
    Argument.all({
      id: pipe(id, Argument.optional(Argument.triggerId), E.map(O.getOrElse(newTriggerId))),
      value: pipe(
        Argument.notEmpty('--type')(type),
        E.flatMap((given) => triggerValue(given, value)),
      ),
      expires: Argument.optional(Argument.when(env.now))(expires),
    }),
    TE.flatMap((trigger) => env.registry.triggers.create(trigger)),
    TE.map((trigger) =>
      report(triggerJson(trigger), [
        trigger.id,
        '',
        'Anyone who knows this id can peek the trigger.',
        `Type ${trigger.value.type}; expires ${Argument.expiryOf(env.now, trigger.expires)}.`,
        peekUrl(env.baseUrl, trigger.id),
      ]),
    ),
  )
}

/** Those that are broken, too: exit code 1, and what to do about them. */
export const list = ({ registry, now }: ReadEnv): Outcome =>
  pipe(
    registry.triggers.all,
    TE.map((triggers) => {
      const { left: broken, right: sound } = RA.separate(triggers)
      const rows = sound.map(({ id, value, expires }) => [id, Argument.expiryOf(now, expires), value.json])
      const none = 'There are no triggers: `canopy trigger create --type TYPE` makes one.'
      const lines = broken.map((trigger) => `trigger ${trigger.id} is broken: ${brokenMessage(trigger)}`)
      return {
        json: triggers.map(storedJson),
        lines:
          rows.length === 0 && lines.length > 0 ? lines : [...table(['ID', 'EXPIRES', 'VALUE'], rows, none), ...lines],
        exit: broken.length === 0 ? 0 : 1,
      }
    }),
  )

export const remove = async (env: WriteEnv, [id]: Words): Promise<Outcome> =>
  pipe(
    TE.fromEither(Argument.triggerId(await typed(env, id))),
    TE.flatMap((trigger) => env.registry.triggers.delete(trigger)),
    TE.map((trigger) => report(storedJson(trigger), ['Deleted the trigger: peeking it answers `trigger not found`.'])),
  )
