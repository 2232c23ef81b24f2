import { expect, it } from 'vitest'
import { isSecretName } from '../src/secretNames.js'

it.each([
  '.git .hg .svn .env .envrc .env.production .ENV .pem .key .htpasswd .ssh .gnupg .aws .kube .docker .npmrc .netrc .pgpass',
  '.git-credentials id_rsa id_dsa id_ecdsa id_ed25519 id_ed25519_sk a.pem server.key a.ppk a.p12 a.pfx a.kdbx a.kdb',
])('each of these names usually holds secrets: %s', (names) => {
  expect(names.split(' ').filter((name) => !isSecretName(name))).toEqual([])
})

it.each([
  '.gitignore .github git env .env.example .env.sample .env.template .htaccess .sshd id_rsa.pub xid_rsa key .ppk .kdb',
  'a.pem.txt a.keys monkey kdbx .environment',
])('none of these names usually holds secrets: %s', (names) => {
  expect(names.split(' ').filter(isSecretName)).toEqual([])
})
