import type { ReaderTaskEither } from 'fp-ts/lib/ReaderTaskEither.js'
import { expectTypeOf } from 'vitest'
import type * as Failure from '../src/Failure.js'
import type { fileOperations } from '../src/fileOperations.js'
import type { operations } from '../src/operations.js'
import type { AreaOfTokenEnv, AreaOfUserEnv, NodeAtEnv, OpenFileEnv, SettingsOfEnv } from '../src/ports.js'

type Programs = typeof fileOperations & typeof operations
type FailureOf<Name extends keyof Programs> =
  ReturnType<Programs[Name]> extends ReaderTaskEither<never, infer E extends Failure.Failure, unknown> ? E : never
type PortsOf<Name extends keyof Programs> = Parameters<ReturnType<Programs[Name]>>[0]

// Each fails exactly as the tree operation of the same client.
expectTypeOf<FailureOf<'storageFile' | 'storageArchive'>>().toEqualTypeOf<FailureOf<'storageTree'>>()
expectTypeOf<FailureOf<'userContentFile' | 'userContentArchive'>>().toEqualTypeOf<FailureOf<'userContentTree'>>()

// A file needs no listing.
expectTypeOf<PortsOf<'storageFile'>>().branded.toEqualTypeOf<AreaOfTokenEnv & SettingsOfEnv & NodeAtEnv & OpenFileEnv>()
expectTypeOf<PortsOf<'userContentFile'>>().branded.toEqualTypeOf<
  SettingsOfEnv & AreaOfUserEnv & NodeAtEnv & OpenFileEnv
>()
