import { expectTypeOf } from 'vitest'
import * as Settings from '../src/Settings.js'
import * as StoragePath from '../src/StoragePath.js'

declare const partly: Readonly<Record<`/photos/${string}`, 'public'>>

// Literals that can be paths compile.
expectTypeOf(StoragePath.unsafe('/')).toEqualTypeOf<StoragePath.StoragePath>()
expectTypeOf(StoragePath.unsafe('/photos/sea.jpg')).toEqualTypeOf<StoragePath.StoragePath>()
expectTypeOf(Settings.fromRecord({ '/': 'public', '/photos/2024': 'private' })).toEqualTypeOf<Settings.Settings>()
expectTypeOf(Settings.fromRecord({})).toEqualTypeOf<Settings.Settings>()

// Literals that are visibly no paths do not.
// @ts-expect-error no slash at the beginning
StoragePath.unsafe('photos')
// @ts-expect-error a slash at the end
StoragePath.unsafe('/photos/')
// @ts-expect-error an empty name
StoragePath.unsafe('/photos//sea.jpg')
// @ts-expect-error empty
StoragePath.unsafe('')
// @ts-expect-error known only at run time
StoragePath.unsafe('/photos' as string)
// @ts-expect-error a part of it is known only at run time
StoragePath.unsafe(`/photos/${'' as string}` as const)
// @ts-expect-error a part of it is known only at run time
Settings.fromRecord(partly)
// @ts-expect-error no slash at the beginning
Settings.fromRecord({ photos: 'public' })
// @ts-expect-error a slash at the end, beside a path
Settings.fromRecord({ '/': 'public', '/photos/': 'public' })
// @ts-expect-error known only at run time
Settings.fromRecord({ '/photos': 'public' } as Record<string, 'public'>)
// @ts-expect-error no visibility
Settings.fromRecord({ '/photos': 'secret' })

// A map or a record is no settings: they are opaque.
// @ts-expect-error
expectTypeOf(new Map([[StoragePath.root, 'public' as const]])).toMatchTypeOf<Settings.Settings>()
// @ts-expect-error
expectTypeOf({ '/': 'public' as const }).toMatchTypeOf<Settings.Settings>()
