// A worker that answers each request at once, on the connections that its parent hands over.
import { receive } from '../../dist/cluster/receive.js'

receive((_, response) => response.end('served'), { maxConnections: 10 })
process.send('ready')
