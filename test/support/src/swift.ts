import { answered, findPrograms } from './daemon.js'
import { freePort } from './freePort.js'
import { type ObjectStore, startStore } from './objectStore.js'

const parts = ['proxy', 'account', 'container', 'object']

export const findSwift = findPrograms(
  'OpenStack Swift',
  'swift-proxy, swift-account, swift-container and swift-object',
  parts.map((part) => `swift-${part}-server`),
)

// One program forks all four servers, so that Python's modules are loaded once.
const script = `
import getpass, os, sys
from swift.common import utils

home, ports = sys.argv[1], dict(zip(('proxy', 'account', 'container', 'object'), map(int, sys.argv[2:])))
utils.SWIFT_CONF_FILE = home + '/swift.conf'
# Before the other modules: it looks for the locks of each module that is loaded.
utils.eventlet_monkey_patch()
# The servers stay in the process group by which they are killed.
os.setsid = lambda: None

def write(name, text):
    with open(home + '/' + name, 'w') as file:
        file.write(text)

write('swift.conf', '[swift-hash]\\nswift_hash_path_suffix = canopy\\n')
os.makedirs(home + '/devices/d')

from swift.common.ring import RingBuilder
from swift.common.wsgi import run_wsgi
import swift.account.server, swift.container.server, swift.obj.server, swift.proxy.server
from swift.common.middleware import bulk, catch_errors, dlo, listing_formats, memcache, proxy_logging, slo, symlink, tempauth
from swift.common.middleware.s3api import s3api
from swift.common.middleware import versioned_writes

class Cache:
    def __init__(self):
        self.values = {}
    def get(self, key, **options):
        return self.values.get(key)
    def set(self, key, value, **options):
        self.values[key] = value
    def delete(self, key, **options):
        self.values.pop(key, None)

# In place of memcached: without one, Swift asks for the account and the bucket each time.
memcache.MemcacheRing = lambda *servers, **options: Cache()

def default(name):
    return f'''[DEFAULT]
bind_ip = 127.0.0.1
bind_port = {ports[name]}
workers = 0
user = {getpass.getuser()}
swift_dir = {home}
devices = {home}/devices
mount_check = false
disable_fallocate = true
db_preallocation = off
log_level = ERROR
log_address = {home}/no-log
'''

for name in ('account', 'container', 'object'):
    builder = RingBuilder(4, 1, 1)
    where = {'region': 1, 'zone': 1, 'ip': '127.0.0.1', 'port': ports[name], 'device': 'd', 'weight': 1, 'meta': '',
             'replication_ip': '127.0.0.1', 'replication_port': ports[name]}
    builder.add_dev(where)
    builder.rebalance()
    builder.get_ring().save(f'{home}/{name}.ring.gz')
    write(name + '.conf', default(name) + f'[pipeline:main]\\npipeline = {name}-server\\n[app:{name}-server]\\nuse = egg:swift#{name}\\n')

filters = {
    'catch_errors': '', 'memcache': '', 'listing_formats': '', 'bulk': '',
    's3api': 'location = us-east-1', 'tempauth': 'user_canopy_canopy = secret .admin\\nuser_canopy_other = other-secret', 'slo': '', 'dlo': '',
    'versioned_writes': 'allow_versioned_writes = true\\nallow_object_versioning = true', 'symlink': '',
}
write('proxy.conf', default('proxy') + f'[pipeline:main]\\npipeline = {" ".join(filters)} proxy-server\\n'
      + '[app:proxy-server]\\nuse = egg:swift#proxy\\naccount_autocreate = true\\nallow_account_management = true\\n'
      + ''.join(f'[filter:{name}]\\nuse = egg:swift#{name}\\n{text}\\n' for name, text in filters.items()))

for name in ports:
    if os.fork() == 0:
        sys.exit(run_wsgi(f'{home}/{name}.conf', name + '-server'))
os.wait()
`

/** Starts OpenStack Swift behind its S3 API. Rejects if it is not installed. */
export const startSwift = (): Promise<ObjectStore> =>
  startStore('Swift', findSwift(process.env), async ({ home, start }) => {
    const ports = await Promise.all(parts.map(freePort))
    const servers = start('/usr/bin/python3', ['-c', script, home, ...ports.map(String)])
    const endpoint = `http://127.0.0.1:${ports[0]}`
    await answered(endpoint, [servers])
    return endpoint
  })
