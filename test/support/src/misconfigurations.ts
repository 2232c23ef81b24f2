import type { CredentialVariables, ObjectStore } from './objectStore.js'
import type { StoreToTest } from './storesToTest.js'

export interface Misconfiguration {
  readonly what: string
  readonly url: { readonly bucket?: string; readonly region?: string }
  readonly variablesFor: (store: ObjectStore) => CredentialVariables
  /** Source of a regular expression. */
  readonly hint: string
}

const all: ReadonlyArray<Misconfiguration> = [
  {
    what: 'there is no such bucket',
    url: { bucket: 'no-such-bucket' },
    variablesFor: ({ variables }) => variables,
    hint: 'there is no such bucket \\(.+\\)\\. Create it, or check CANOPY_STORAGE',
  },
  {
    what: 'the key is wrong',
    url: {},
    variablesFor: ({ variables }) => ({ ...variables, AWS_SECRET_ACCESS_KEY: 'a-wrong-key' }),
    hint: 'the store does not recognize these credentials \\(.+\\)\\. Check AWS_ACCESS_KEY_ID',
  },
  {
    what: 'a permission is missing',
    url: {},
    variablesFor: ({ unprivileged }) => unprivileged,
    hint: 'these credentials lack a required permission \\(.+\\)\\. Allow s3:ListBucket',
  },
  {
    what: 'the region is wrong',
    url: { region: 'us-west-7' },
    variablesFor: ({ variables }) => variables,
    hint: 'the bucket is in another region \\(.+\\)\\. Check "region" in CANOPY_STORAGE',
  },
]

/** Ceph accepts any region. */
export const misconfigurations = ({ name }: Pick<StoreToTest, 'name'>): ReadonlyArray<Misconfiguration> =>
  name === 'Swift' ? all : all.slice(0, -1)
