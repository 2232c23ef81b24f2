import { Agent, request } from 'node:http'

const connections = 64

/**
 * Puts an empty object at each key of a bucket that everyone may write. The requests are unsigned, because the SDK of AWS
 * spends more time on a request than Ceph: 220 keys a second instead of 890.
 */
export const seedKeys = async ({ endpoint }, bucket, keys) => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const put = (key) =>
    new Promise((resolve, reject) => {
      const sent = request(`${endpoint}/${bucket}/${key}`, { agent, method: 'PUT' }, (response) => {
        const { statusCode } = response.resume()
        response.once('end', statusCode === 200 ? resolve : () => reject(new Error(`${key} answered ${statusCode}`)))
        response.once('error', reject)
      })
      sent.once('error', reject)
      sent.end()
    })
  const remaining = keys.values()
  const putRemaining = async () => {
    for (const key of remaining) await put(key)
  }
  try {
    await Promise.all(Array.from({ length: connections }, putRemaining))
  } finally {
    agent.destroy()
  }
}
