import type { ReaderTaskEither } from 'fp-ts/lib/ReaderTaskEither.js'
import { expectTypeOf } from 'vitest'
import type * as Failure from '../src/Failure.js'
import type { Items } from '../src/Items.js'
import type { fileOperations, operations } from '../src/operations.js'
import type {
  AreaOfTokenEnv,
  AreaOfUserEnv,
  ListEnv,
  NodeAtEnv,
  OpenFileEnv,
  SettingsOfEnv,
  TriggerOfEnv,
} from '../src/ports.js'
import type { Tree } from '../src/Tree.js'
import type { TriggerValue } from '../src/TriggerValue.js'

type Programs = typeof operations & typeof fileOperations
type Program<Name extends keyof Programs> = ReturnType<Programs[Name]>

type FailureOf<Name extends keyof Programs> =
  Program<Name> extends ReaderTaskEither<never, infer E, unknown> ? E : never
type AnswerOf<Name extends keyof Programs> = Program<Name> extends ReaderTaskEither<never, unknown, infer A> ? A : never
type PortsOf<Name extends keyof Programs> = Parameters<Program<Name>>[0]

// The five operations and no other.
expectTypeOf<keyof typeof operations>().toEqualTypeOf<
  'storageTree' | 'userContentTree' | 'storageDirItems' | 'userContentDirItems' | 'triggerPeek'
>()

// Each fails with exactly these failures.
type Operations1And3 =
  | Failure.InvalidToken
  | Failure.NotVerified
  | Failure.PermissionDenied
  | Failure.FileNotFound
  | Failure.TypeMismatch
  | Failure.External
expectTypeOf<FailureOf<'storageTree'>>().toEqualTypeOf<Operations1And3>()
expectTypeOf<FailureOf<'storageDirItems'>>().toEqualTypeOf<Operations1And3>()

type Operations2And4 = Failure.PermissionDenied | Failure.FileNotFound | Failure.TypeMismatch | Failure.External
expectTypeOf<FailureOf<'userContentTree'>>().toEqualTypeOf<Operations2And4>()
expectTypeOf<FailureOf<'userContentDirItems'>>().toEqualTypeOf<Operations2And4>()

type Operation5 = Failure.TriggerNotFound | Failure.External
expectTypeOf<FailureOf<'triggerPeek'>>().toEqualTypeOf<Operation5>()

// Together they are all failures.
expectTypeOf<Operations1And3 | Operations2And4 | Operation5>().toEqualTypeOf<Failure.Failure>()

// Each reaches exactly the ports it needs: a peek cannot touch the storage, a visitor has no token.
expectTypeOf<PortsOf<'storageTree'>>().branded.toEqualTypeOf<AreaOfTokenEnv & SettingsOfEnv & NodeAtEnv & ListEnv>()
expectTypeOf<PortsOf<'userContentTree'>>().branded.toEqualTypeOf<SettingsOfEnv & AreaOfUserEnv & NodeAtEnv & ListEnv>()
expectTypeOf<PortsOf<'storageDirItems'>>().branded.toEqualTypeOf<AreaOfTokenEnv & SettingsOfEnv & ListEnv>()
expectTypeOf<PortsOf<'userContentDirItems'>>().branded.toEqualTypeOf<
  SettingsOfEnv & AreaOfUserEnv & NodeAtEnv & ListEnv
>()
expectTypeOf<PortsOf<'triggerPeek'>>().branded.toEqualTypeOf<TriggerOfEnv>()

// What each answers with.
expectTypeOf<AnswerOf<'storageTree' | 'userContentTree'>>().toEqualTypeOf<Tree>()
expectTypeOf<AnswerOf<'storageDirItems' | 'userContentDirItems'>>().toEqualTypeOf<Items>()
expectTypeOf<AnswerOf<'triggerPeek'>>().toEqualTypeOf<TriggerValue>()

// Files fail exactly as the tree operation of the same client, and need no listing.
expectTypeOf<FailureOf<'storageFile' | 'storageArchive'>>().toEqualTypeOf<Operations1And3>()
expectTypeOf<FailureOf<'userContentFile' | 'userContentArchive'>>().toEqualTypeOf<Operations2And4>()
expectTypeOf<PortsOf<'storageFile'>>().branded.toEqualTypeOf<AreaOfTokenEnv & SettingsOfEnv & NodeAtEnv & OpenFileEnv>()
