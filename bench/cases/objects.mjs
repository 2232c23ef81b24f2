import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findCeph, programAt, startCeph } from '@canopy/test-support'
import { canopy, createPublic, startCanopy } from '../canopy.mjs'
import { compared, judged } from '../figures.mjs'
import { timeOfAnswer } from '../http.mjs'
import { residentNow, residentPeak } from '../memory.mjs'
import { count } from '../numbers.mjs'
import { progress, timeOf, withServers } from '../processes.mjs'
import { rounds } from '../rounds.mjs'
import { seedKeys } from '../seedKeys.mjs'

const many = (length, make) => Array.from({ length }, (_, index) => make(index))
const fileNames = (length) => many(length, (index) => `file-${String(index).padStart(6, '0')}.txt`)
const directoryNames = (length) => many(length, (index) => `d${String(index).padStart(4, '0')}`)
const below = (directories, names) => directories.flatMap((directory) => names.map((name) => `${directory}/${name}`))

/** The settings of rclone, which stats each object unless it is told not to. */
const settings = ({ endpoint, variables: { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } }) =>
  ['[store]', 'type = s3', 'provider = Ceph', `endpoint = ${endpoint}`, `access_key_id = ${AWS_ACCESS_KEY_ID}`]
    .concat(`secret_access_key = ${AWS_SECRET_ACCESS_KEY}`, '')
    .join('\n')
const fromListings = ['--use-server-modtime', '--no-mimetype']

const row = (what, ours, values, atMost) =>
  compared({ what, unit: 'ms', ours, reference: { name: 'rclone', values }, target: { atMost } })

const measure = async ({ options }, home, store) => {
  const bucket = await store.newBucket('public-read-write')
  const [flat, upper, lower, each] = options.quick ? [1_000, 10, 10, 10] : [10_000, 100, 100, 10]
  progress(`${count(flat + upper * lower * each)} objects, which take some minutes`)
  const directories = below(directoryNames(upper), directoryNames(lower))
  await seedKeys(store, bucket, below(['1'], fileNames(flat)))
  await seedKeys(store, bucket, below(['2'], below(directories, fileNames(each))))

  const data = join(home, 'data')
  const url = `s3://${bucket}?endpoint=${store.endpoint}&region=${store.region}&pathStyle=true`
  const variables = { CANOPY_STORAGE: url, ...store.variables }
  for (const id of ['1', '2']) await createPublic(canopy(data, variables), id)
  const config = join(home, 'rclone.conf')
  await writeFile(config, settings(store))
  const rclone = (...parameters) =>
    timeOf(programAt('rclone', process.env), ['--config', config, 'lsjson', ...fromListings, ...parameters], {
      env: { PATH: process.env.PATH, HOME: home },
    })

  return withServers([() => startCanopy(data, variables)], async ([{ port, pid }]) => {
    const idle = residentNow(pid)
    const [listing, listed, tree, walked] = await rounds(
      options.rounds,
      [
        () => timeOfAnswer(port, '/api/usercontent/v1/diritems/id/1'),
        () => rclone(`store:${bucket}/1`),
        () => timeOfAnswer(port, '/api/usercontent/v1/tree/id/2'),
        () => rclone('-R', '--fast-list', `store:${bucket}/2`),
      ],
      (time) => time(),
    )
    return [
      row(`a listing of ${count(flat)} objects`, listing, listed, 1.1),
      row(`a tree of ${count(upper * lower * each)} objects in ${count(upper * lower)} directories`, tree, walked, 0.8),
      judged({
        what: 'peak memory, less idle memory',
        unit: 'MB',
        ours: [residentPeak(pid) - idle],
        target: { atMost: 150 },
      }),
    ]
  })
}

export const objects = {
  name: 'objects',
  title: 'Over an object store: Ceph',
  mostRounds: 5,
  run: async (context) => {
    if (programAt('rclone', process.env) === undefined || findCeph(process.env)._tag === 'Left') {
      progress('needs rclone and Ceph (Debian: apt-get install rclone radosgw ceph-mon ceph-osd): not measured')
      return []
    }
    const home = await mkdtemp(join(tmpdir(), 'canopy-bench-objects-'))
    const store = await startCeph()
    try {
      return await measure(context, home, store)
    } finally {
      await store.stop()
      await rm(home, { recursive: true, force: true })
    }
  },
}
