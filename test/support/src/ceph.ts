import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { answered, findPrograms } from './daemon.js'
import { freePort } from './freePort.js'
import { type CredentialVariables, type ObjectStore, otherVariables, startStore, variables } from './objectStore.js'

const programs = ['ceph', 'ceph-authtool', 'ceph-mon', 'ceph-osd', 'monmaptool', 'radosgw', 'radosgw-admin']

export const findCeph = findPrograms('Ceph', 'radosgw, ceph-mon, ceph-osd and ceph-common', programs)

// By default each change of the cluster, one for each pool, waits for a second.
const settings = (home: string, cluster: string, monitor: number, gateway: number): string => `
[global]
fsid = ${cluster}
mon host = [v2:127.0.0.1:${monitor}]
mon initial members = a
keyring = ${home}/keyring
auth allow insecure global id reclaim = false
public network = 127.0.0.0/8
run dir = ${home}
admin socket =
log file =
log to stderr = false
mon cluster log file =
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
paxos propose interval = 0.02
paxos min wait = 0.01
[mon]
mon data = ${home}/mon
mon data avail crit = 1
mon data avail warn = 2
[osd]
osd data = ${home}/osd
osd objectstore = memstore
memstore device bytes = 2147483648
osd class load list = *
osd class default list = *
[client.rgw]
rgw frontends = beast endpoint=127.0.0.1:${gateway}
rgw dns name = localhost
rgw enable usage log = false
rgw run sync thread = false
rgw enable gc threads = false
rgw enable lc threads = false
rgw enable quota threads = false
rgw thread pool size = 32
`

const keys = [
  ['mon.', '--cap', 'mon', 'allow *'],
  ['client.admin', '--cap', 'mon', 'allow *', '--cap', 'osd', 'allow *', '--cap', 'mgr', 'allow *'],
  ['client.rgw', '--cap', 'mon', 'allow rw', '--cap', 'osd', 'allow rwx'],
  ['osd.0', '--cap', 'mon', 'allow profile osd', '--cap', 'osd', 'allow *'],
] as const

const execute = promisify(execFile)

/** Starts Ceph with its S3 gateway in memory: one monitor, one OSD, one gateway. Rejects if it is not installed. */
export const startCeph = (): Promise<ObjectStore> =>
  startStore('Ceph', findCeph(process.env), async ({ home, start }) => {
    const [cluster, disk] = [randomUUID(), randomUUID()]
    const [monitor, gateway] = [await freePort(), await freePort()]
    const env = { ...process.env, CEPH_CONF: join(home, 'ceph.conf') }
    const run = (program: string, ...parameters: ReadonlyArray<string>) => execute(program, parameters, { env })
    const serve = (program: string, ...parameters: ReadonlyArray<string>) => start(program, ['-f', ...parameters], env)

    await mkdir(join(home, 'osd'))
    await writeFile(env.CEPH_CONF, settings(home, cluster, monitor, gateway))
    const [keyring, map] = [join(home, 'keyring'), join(home, 'monmap')]
    await run('ceph-authtool', '--create-keyring', keyring)
    for (const key of keys) await run('ceph-authtool', keyring, '--gen-key', '-n', ...key)
    await run('monmaptool', '--create', '--fsid', cluster, '--addv', 'a', `[v2:127.0.0.1:${monitor}]`, map)
    await run('ceph-mon', '--mkfs', '-i', 'a', '--monmap', map, '--keyring', keyring)

    const daemons = [serve('ceph-mon', '-i', 'a')]
    await Promise.all([
      run('ceph', 'osd', 'new', disk, '0'),
      run('ceph-osd', '--mkfs', '-i', '0', '--osd-uuid', disk, '--monmap', map),
    ])
    daemons.push(serve('ceph-osd', '-i', '0'), serve('radosgw', '-n', 'client.rgw'))
    const endpoint = `http://127.0.0.1:${gateway}`
    const addUser = (name: string, { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY }: CredentialVariables) => {
      const user = [`--uid=${name}`, `--display-name=${name}`]
      const keys = [`--access-key=${AWS_ACCESS_KEY_ID}`, `--secret-key=${AWS_SECRET_ACCESS_KEY}`]
      return run('radosgw-admin', '-n', 'client.rgw', 'user', 'create', ...user, ...keys)
    }
    await Promise.all([answered(endpoint, daemons), addUser('canopy', variables), addUser('other', otherVariables)])
    return endpoint
  })
