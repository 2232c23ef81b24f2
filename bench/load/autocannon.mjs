import autocannon from 'autocannon'

/** The same by autocannon, where there is no wrk. It is slower than some of the servers, and then measures itself. */
export const byAutocannon = async ({ port, path, headers = {}, seconds, connections }) => {
  const { requests, throughput, duration, errors, timeouts, ...by } = await autocannon({
    url: `http://127.0.0.1:${port}${path}`,
    headers,
    duration: seconds,
    connections,
    timeout: 30,
  })
  return {
    answers: requests.total,
    seconds: duration,
    bytesEach: throughput.total / requests.total,
    refused: by['4xx'] + by['5xx'],
    broken: errors + timeouts,
  }
}
