import type { Failure as Domain, Visibility as DomainVisibility, operations } from '@canopy/domain'
import type { ReaderTaskEither } from 'fp-ts/lib/ReaderTaskEither.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { expectTypeOf } from 'vitest'
import type { TaskEitherClient } from '../src/fp-ts.js'
import * as client from '../src/index.js'

type Operation = keyof typeof operations

type FailureOf<Name extends Operation> =
  ReturnType<client.Client[Name]> extends client.Call<unknown, infer F> ? F : never
type TaskFailureOf<Name extends Operation> =
  ReturnType<TaskEitherClient[Name]> extends TaskEither<infer F, unknown> ? F : never

// Both APIs have the domain's operations, and loops over items and pages for each listing, and one over a tree.
type Loops = 'storageItems' | 'userContentItems' | 'storagePages' | 'userContentPages' | 'walk'
type Files = 'file' | 'fileUrl'
expectTypeOf<keyof client.Client>().toEqualTypeOf<Operation | Loops | Files>()
expectTypeOf<keyof TaskEitherClient>().toEqualTypeOf<keyof client.Client>()

expectTypeOf<client.Visibility>().toEqualTypeOf<DomainVisibility.Visibility>()

// Each operation has exactly the error names that the domain infers, and the shared failures.
type NamesOf<Name extends Operation> =
  ReturnType<(typeof operations)[Name]> extends ReaderTaskEither<never, infer F extends Domain.Failure, unknown>
    ? F['error']
    : never
expectTypeOf<{ [Name in Operation]: FailureOf<Name>['error'] }>().toEqualTypeOf<{
  [Name in Operation]: NamesOf<Name> | client.CallFailure['error']
}>()

// Both APIs have the same failures.
expectTypeOf<{ [Name in Operation]: TaskFailureOf<Name> }>().toEqualTypeOf<{ [Name in Operation]: FailureOf<Name> }>()

// `error` alone tells the failures apart.
declare const error: client.CanopyError
expectTypeOf(error.failure).toEqualTypeOf<client.Failure>()
if (error.failure.error === 'overloaded') expectTypeOf(error.failure.retryAfter).toEqualTypeOf<number>()
if (error.failure.error === 'malformed response') expectTypeOf(error.failure.part).toEqualTypeOf<string>()

// The result of a call has the failures of its operation.
declare const canopy: client.Client
expectTypeOf(client.toResult(canopy.triggerPeek({ id: '' }))).toEqualTypeOf<
  Promise<client.Result<client.PeekedTrigger, client.TriggerFailure>>
>()

// Sizes are exact, and a node is of one of three kinds.
expectTypeOf<client.DirectoryItem['size']>().toEqualTypeOf<bigint>()
declare const node: client.TreeNode
if (node.type === 'file') expectTypeOf(node).toEqualTypeOf<client.TreeFile>()
else if ('content' in node) expectTypeOf(node).toEqualTypeOf<client.ExpandedDirectory>()
else expectTypeOf(node).toEqualTypeOf<client.UnexpandedDirectory>()
