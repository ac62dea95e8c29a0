// Generates the reference of all metrics from their definitions: a gateway with every part is scraped once.
import { Metrics } from '../../packages/gateway/src/telemetry/metrics.ts'
import { table } from './table.ts'
import { referenceText as text } from './text/reference.ts'

export function metricsPage(): string {
  const rows = metricsOf(scraped()).map(({ name, type, help }) => [`\`${name}\``, type, help])
  return `${[text.metrics.intro, table([[...text.metrics.columns], ...rows]), text.metrics.after].join('\n\n')}\n`
}

interface Described {
  readonly name: string
  readonly type: string
  readonly help: string
}

/** The metrics in the text that Prometheus reads. */
function metricsOf(scrape: string): Described[] {
  const types = new Map([...scrape.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]))
  return [...scrape.matchAll(/^# HELP (\S+) (.+)$/gm)].map(([, name = '', help = '']) => ({
    name,
    help,
    type: types.get(name) ?? '',
  }))
}

function scraped(): string {
  const metrics = new Metrics('0.0.0')
  metrics.issuer.lookAt(() => ({ reads: { ok: 0, failed: 0 }, ageMs: 0 }))
  metrics.store.lookAt({
    pool: { open: 0, idle: 0, waiting: 0, most: 0 },
    notifications: { transport: 'listen', received: 0, late: 0, reconnects: 0 },
    oldestTransactionMs: 0,
  })
  return metrics.text()
}
