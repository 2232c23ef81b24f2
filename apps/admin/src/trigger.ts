import { randomBytes } from 'node:crypto'
import { TriggerId, TriggerValue } from '@canopy/domain'
import { reasonOf, shellWord } from '@canopy/installation'
import type { BrokenTrigger, StoredTrigger, TriggerRecord } from '@canopy/registry/admin'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { parse } from 'lossless-json'
import * as Argument from './Argument.js'
import { type Args, type Options, type Outcome, type ReadEnv, readArgument, type WriteEnv } from './Command.js'
import { type Problem, wrongUsage } from './Problem.js'
import { report, table } from './Report.js'

export const triggerJson = ({ id, value, expires }: TriggerRecord) => ({
  id,
  // Another program may have written a field twice. The last one counts, like in JSON.parse.
  value: parse(value.json, undefined, { onDuplicateKey: ({ newValue }) => newValue }),
  expires: Argument.expiresJson(expires),
})

const storedJson = (trigger: StoredTrigger): unknown =>
  E.isRight(trigger)
    ? triggerJson(trigger.right)
    : { id: trigger.left.id, value: null, expires: null, broken: describeBroken(trigger.left) }

export const describeBroken = ({ id, cause }: BrokenTrigger): string => {
  const hint = TriggerId.is(id)
    ? `run ${deleteCommand(id)}, then create it again`
    : 'its ID is not valid, so delete its row from the `triggers` table'
  return `${reasonOf(cause)}, so requests for it fail with the error \`external\`: ${hint}`
}

/** For people to paste. */
export const deleteCommand = (id: TriggerId.TriggerId): string =>
  `\`canopy trigger delete ${id.startsWith('-') ? '-- ' : ''}${shellWord(id)}\``

export const peekUrl = (baseUrl: string, id: TriggerId.TriggerId): string =>
  `${baseUrl}/api/triggers/v1/peek/${encodeURIComponent(id)}`

/** Creates an id of 16 random bytes. Never begins with "-", which a command line would take for an option. */
export const newTriggerId = (): TriggerId.TriggerId =>
  randomBytes(16).toString('base64url').replace(/^-/, '_') as TriggerId.TriggerId

/**
 * Adds the type to the fields of `--value` and keeps their text, so that numbers like 18446744073709551615, `1.0` and `1e400`
 * survive. Refuses duplicate fields, and a `type` that contradicts `--type`.
 */
export const triggerValue = (type: string, json: string): E.Either<Problem, TriggerValue.TriggerValue> =>
  pipe(
    Argument.jsonObject('--value is ', 'use an object such as \'{"path":"/photos"}\'')(json),
    E.filterOrElse(
      (fields) => !Object.hasOwn(fields, 'type') || fields['type'] === type,
      () => wrongUsage(`"type" in --value conflicts with --type ${type}`, 'remove it from --value'),
    ),
    E.flatMap((fields) =>
      pipe(
        TriggerValue.fromJson(insertType(type, fields, json)),
        E.mapLeft((message) => wrongUsage(`--value: ${message}`)),
      ),
    ),
  )

const insertType = (type: string, fields: object, json: string): string => {
  if (Object.hasOwn(fields, 'type')) return json.trim()
  const head = `{"type":${JSON.stringify(type)}`
  return Object.keys(fields).length === 0 ? `${head}}` : `${head},${json.trim().slice(1).trimStart()}`
}

export const create = async (env: WriteEnv, _: Args, options: Options): Promise<Outcome> => {
  const { type = '', expires } = options
  if (options.id === '-' && options.value === '-')
    return TE.left(
      wrongUsage('--id and --value cannot both read standard input', 'pass one of them on the command line'),
    )
  const id = options.id && (await readArgument(env, options.id))
  const value = await readArgument(env, options.value ?? '{}')
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
        'Anyone who knows this ID can view the trigger.',
        `Type ${trigger.value.type}; ${Argument.expiryClause(env.now, trigger.expires)}.`,
        peekUrl(env.baseUrl, trigger.id),
      ]),
    ),
  )
}

/** Lists broken triggers with a hint, and exits with 1 if there are any. */
export const list = ({ registry, now }: ReadEnv): Outcome =>
  pipe(
    registry.triggers.all,
    TE.map((triggers) => {
      const { left: broken, right: intact } = RA.separate(triggers)
      const rows = intact.map(({ id, value, expires }) => [id, Argument.describeExpiry(now, expires), value.json])
      const empty = 'No triggers yet. Run `canopy trigger create --type TYPE` to create one.'
      const brokenLines = broken.map((trigger) => `trigger ${trigger.id} is broken: ${describeBroken(trigger)}`)
      const tableLines = rows.length === 0 && broken.length > 0 ? [] : table(['ID', 'EXPIRES', 'VALUE'], rows, empty)
      return {
        json: triggers.map(storedJson),
        lines: [...tableLines, ...brokenLines],
        exit: broken.length === 0 ? 0 : 1,
      }
    }),
  )

export const remove = async (env: WriteEnv, [id]: Args): Promise<Outcome> =>
  pipe(
    TE.fromEither(Argument.triggerId(await readArgument(env, id))),
    TE.flatMap((trigger) => env.registry.triggers.delete(trigger)),
    TE.map((trigger) =>
      report(storedJson(trigger), ['Deleted the trigger: requests for it now fail with `trigger not found`.']),
    ),
  )
