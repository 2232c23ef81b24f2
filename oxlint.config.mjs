const spelling = {
  group: ['fp-ts/*', '!fp-ts/lib', 'io-ts/*', '!io-ts/lib'],
  message: 'Write fp-ts/lib/X.js: any other spelling fails at run time or loads a second copy.',
}
const apps = {
  group: ['@canopy/server', '@canopy/admin', '@canopy/harness', '**/apps/**'],
  message: 'A package never imports an app.',
}
const otherApps = (...names) => ({
  group: names.map((name) => `@canopy/${name}`),
  message: 'An app never imports another app.',
})
const adapters = ['client', 'http', 'installation', 'registry', 'storage-fs', 'storage-s3']
const adaptersExcept = (own) => ({
  group: adapters.filter((name) => name !== own).flatMap((name) => [`@canopy/${name}`, `@canopy/${name}/*`]),
  message: 'Adapters never import each other.',
})
const testkits = {
  group: ['@canopy/testkit', '@canopy/test-support'],
  message: 'Only tests use the testkit and the test support.',
}
const writers = { group: ['@canopy/*/admin'], message: 'Only the admin app and tests may write.' }
const outside = { group: ['**/../../**'], message: 'This package imports nothing outside its own src.' }

/** What each room may not import. */
const layers = {
  'packages/domain': [
    { regex: '^(@|node:|[a-eg-hj-z]|f[^p]|i[^o])', message: 'The domain imports only fp-ts, io-ts and itself.' },
    outside,
  ],
  'packages/http': [
    {
      regex: '^(@[^c]|@canopy/[^d]|node:|[a-eg-z]|f[^p])',
      message: 'The HTTP side of the interface imports only the domain, fp-ts and itself.',
    },
    outside,
  ],
  'packages/scheduling': [{ regex: '^[^.]', message: 'Scheduling imports only itself.' }],
  'packages/storage-fs': [apps, adaptersExcept('storage-fs'), testkits],
  'packages/storage-s3': [apps, adaptersExcept('storage-s3'), testkits],
  'packages/registry': [apps, adaptersExcept('registry'), testkits],
  'packages/client': [
    {
      regex: '^(@|node:|[a-eg-z]|f[^p])',
      message: 'The client imports only fp-ts and itself: it runs in browsers too.',
    },
    outside,
  ],
  'packages/installation': [apps, testkits, writers],
  'packages/testkit': [
    apps,
    adaptersExcept(undefined),
    { group: ['@canopy/test-support'], message: 'The testkit is published, the test support is not.' },
  ],
  'apps/server': [testkits, otherApps('admin', 'harness'), writers],
  'apps/admin': [testkits, otherApps('server', 'harness')],
  'apps/harness': [otherApps('server', 'admin')],
  'apps/explorer': [
    {
      group: ['@canopy/*', '!@canopy/client', '!@canopy/domain', 'node:*', 'io-ts'],
      message: 'The explorer runs in browsers and uses only @canopy/client and @canopy/domain.',
    },
  ],
}

const sourcesOf = (room) => `${room}/src/**`

export default {
  plugins: ['typescript', 'import', 'unicorn', 'promise', 'node', 'vitest'],
  categories: { correctness: 'error', suspicious: 'error' },
  options: { typeAware: true, denyWarnings: true },
  ignorePatterns: ['**/dist/**', '**/node_modules/**'],
  rules: {
    'import/consistent-type-specifier-style': 'off',
    'import/no-cycle': ['error', { ignoreTypes: false }],
    'import/no-named-as-default': 'off',
    'import/no-named-as-default-member': 'off',
    'import/no-unassigned-import': 'off',
    'no-restricted-imports': ['error', { patterns: [spelling] }],
    'no-shadow': 'off',
    'no-underscore-dangle': 'off',
    'typescript/consistent-return': 'off',
    'typescript/no-explicit-any': 'error',
    'typescript/no-floating-promises': 'error',
    'typescript/no-unnecessary-type-arguments': 'off',
    'typescript/no-unsafe-type-assertion': 'off',
    'typescript/switch-exhaustiveness-check': 'error',
    'typescript/unbound-method': 'off',
    'unicorn/no-array-reverse': 'off',
    'unicorn/no-array-sort': 'off',
    'vitest/valid-title': ['error', { allowArguments: true }],
  },
  overrides: [
    ...Object.entries(layers).map(([room, patterns]) => ({
      files: [sourcesOf(room)],
      rules: { 'no-restricted-imports': ['error', { patterns: [spelling, ...patterns] }] },
    })),
    { files: ['**/test/**'], rules: { 'unicorn/consistent-function-scoping': 'off' } },
  ],
}
