import { fixture } from '@canopy/testkit'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as Argument from '../Argument.js'
import type { CommandEnv } from '../Command.js'
import type { Refusal } from '../Refusal.js'
import type { Format } from '../report/formats.js'
import type { Asking } from './Asking.js'
import { readCredentials } from './readCredentials.js'

/** What every command that asks a service takes. */
export interface ServiceOptions {
  readonly url: string
  readonly credentials?: string
  readonly exact?: true
  readonly everyU64?: true
  readonly format: Format
}

export const askingOf = (options: ServiceOptions, { cwd }: CommandEnv): TE.TaskEither<Refusal, Asking> =>
  pipe(
    TE.Do,
    TE.bind('service', () => TE.fromEither(Argument.baseUrl(options.url))),
    TE.bind('credentials', () => readCredentials(cwd, fixture(true), options.credentials)),
    TE.map((parts) => ({ ...parts, reading: options.exact === true ? 'exact' : 'meaning' })),
  )
