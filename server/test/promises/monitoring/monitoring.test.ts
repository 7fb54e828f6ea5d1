import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readEveryMetric } from '../../support/metrics/every-metric.ts'
import { findFaults, testWithPromtool } from '../../support/metrics/promtool.ts'
import { leadsSomewhere } from '../documents/support/pages.ts'
import { names, readExpression, readSeries, type Series } from './support/promql.ts'

const project = join(import.meta.dirname, '../../../..')
const folder = join(project, 'deploy/monitoring')
const read = (name: string) => readFileSync(join(folder, name), 'utf8')

interface Alert {
  alert: string
  expr: string
  for: string
  labels: { severity: string }
  annotations: { summary: string; description: string; runbook: string }
}

interface RuleTest {
  name: string
  promql_expr_test: { expr: string; exp_samples: { labels: string }[] }[]
}

interface Panel {
  id: number
  type: string
  title: string
  datasource?: object
  gridPos: { x: number; y: number; w: number; h: number }
  targets?: { refId: string; expr: string; legendFormat: string }[]
}

const { groups } = parse(read('alerts.yaml')) as { groups: { rules: Alert[] }[] }
const alerts = groups.flatMap(({ rules }) => rules)
const { tests } = parse(read('alerts.test.yaml')) as { tests: RuleTest[] }
const dashboard = JSON.parse(read('dashboard.json')) as {
  panels: Panel[]
  templating: { list: { name: string; type: string; query: string }[] }
}
const jobNames = ['prometheus.yaml', 'prometheus.kubernetes.yaml'].flatMap((name) =>
  (parse(read(name)) as { scrape_configs: { job_name: string }[] }).scrape_configs.map((each) => each.job_name),
)

let series: Series[]
beforeAll(async () => {
  const scraped = { job: 'storedex', instance: '127.0.0.1:9464' }
  const ofService = readSeries(await readEveryMetric())
  series = [
    ...ofService.map(({ metric, labels }) => ({ metric, labels: { ...scraped, ...labels } })),
    // What Prometheus itself adds.
    { metric: 'up', labels: scraped },
    ...alerts.map(({ alert }) => ({ metric: 'ALERTS', labels: { alertname: alert, alertstate: 'firing' } })),
  ]
})

/** What in an expression no series has: a metric, a label, a value. Statuses are those of HTTP. */
function findUnknown(text: string): string[] {
  const { selectors, grouping } = readExpression(text)
  const read = selectors.flatMap(({ metric }) => series.filter((each) => each.metric === metric))
  const unknown = grouping.filter((label) => !read.some(({ labels }) => label in labels))
  for (const { metric, matchers } of selectors) {
    const candidates = series.filter((each) => each.metric === metric)
    if (candidates.length === 0) unknown.push(metric)
    for (const matcher of candidates.length === 0 ? [] : matchers) {
      const { label, value } = matcher
      const fits = ({ labels }: Series) =>
        label in labels && (label === 'status' ? /^[1-5](\d\d|\.\.)$/.test(value) : names(matcher, labels[label]!))
      if (!candidates.some(fits)) unknown.push(`${metric}{${label} ${value}}`)
    }
  }
  return unknown
}

/** As Grafana would fill in its variables. */
const withVariables = (expr: string) =>
  expr.replaceAll('$__rate_interval', '1m').replaceAll('$job', 'storedex').replaceAll('$instance', '.+')

const queries = dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })))

test('a metric, label or value that no reply has is seen', () => {
  expect(findUnknown('sum by (job) (rate(storedex_http_requests_total{status="503"}[5m])) > 0')).toEqual([])
  expect(findUnknown('storedex_http_request_total')).toEqual(['storedex_http_request_total'])
  expect(findUnknown('sum by (kind) (storedex_mails_total)')).toEqual(['kind'])
  expect(findUnknown('storedex_mails_total{kind="a"}')).toEqual(['storedex_mails_total{kind a}'])
  expect(findUnknown('storedex_mails_total{outcome="lost"}')).toEqual(['storedex_mails_total{outcome lost}'])
  expect(findUnknown('storedex_http_requests_total{route!="/ready"}')).toEqual([
    'storedex_http_requests_total{route /ready}',
  ])
  expect(() => findUnknown('sum(storedex_mails_total')).toThrow('not PromQL')
})

test('every metric is in the table for operators, and every name there is one', () => {
  const page = readFileSync(join(project, 'docs/operations/monitoring.md'), 'utf8')
  const rows = [...page.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell]) => [...cell!.matchAll(/`(\w+)(…?)`/g)])
  const isNamed = ([, name, rest]: RegExpExecArray, metric: string) =>
    rest ? metric.startsWith(name!) : metric === name
  const metrics = [...new Set(series.map(({ metric }) => metric))].filter((name) =>
    /^(storedex|process|nodejs)_/.test(name),
  )
  expect(metrics.length).toBeGreaterThan(50)
  expect(metrics.filter((metric) => !rows.some((row) => isNamed(row, metric)))).toEqual([])
  expect(rows.filter((row) => !metrics.some((metric) => isNamed(row, metric))).map(([name]) => name)).toEqual([])
})

describe('each alert', () => {
  test('reads metrics, labels and values that a service has', () => {
    expect(alerts.length).toBeGreaterThan(20)
    expect(alerts.flatMap(({ alert, expr }) => findUnknown(expr).map((each) => `${alert}: ${each}`))).toEqual([])
  })

  test('says how bad it is, what to do, and where that is written', () => {
    for (const alert of alerts) {
      expect(alert).toEqual({
        alert: expect.stringMatching(/^Storedex[A-Z]\w+$/),
        expr: expect.any(String),
        for: expect.stringMatching(/^\d+[mh]$/),
        labels: { severity: expect.stringMatching(/^(critical|warning)$/) },
        annotations: {
          summary: expect.stringMatching(/.{10,}/),
          description: expect.stringMatching(/.{30,}\.$/s),
          runbook: expect.stringMatching(/^docs\/operations\/[\w-]+\.md(#[\w-]+)?$/),
        },
      })
      expect(leadsSomewhere(alert.annotations.runbook), alert.annotations.runbook).toBe(true)
    }
    expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length)
  })

  test('is tried, when it does not fire and when it does; its texts name labels that it then has', () => {
    const labelsOf = new Map<string, string>()
    for (const { name, promql_expr_test: tried } of tests) {
      expect(tried.map(({ exp_samples: samples }) => samples.length)).toEqual([0, 1])
      for (const { expr } of tried) expect(expr).toBe(`ALERTS{alertname="${name}",alertstate="firing"}`)
      labelsOf.set(name, tried[1]!.exp_samples[0]!.labels)
    }
    expect([...labelsOf.keys()]).toEqual(alerts.map(({ alert }) => alert))
    for (const { alert, annotations } of alerts)
      for (const [, label] of JSON.stringify(annotations).matchAll(/\$labels\.(\w+)/g))
        expect(`${alert} ${labelsOf.get(alert)}`).toContain(` ${label}="`)
  })

  test('is about the job of the example configurations', () => {
    expect([...new Set(jobNames)]).toEqual(['storedex'])
  })

  testWithPromtool('passes promtool check rules and test rules, and the configurations check config', () => {
    for (const args of [
      ['check', 'rules', 'alerts.yaml'],
      ['test', 'rules', 'alerts.test.yaml'],
      ['check', 'config', 'prometheus.yaml'],
      ['check', 'config', 'prometheus.kubernetes.yaml'],
    ])
      expect(findFaults(args, { folder })).toBe('')
    expect(findFaults(['check', 'rules', 'dashboard.json'], { folder })).not.toBe('')
  })
})

describe('the dashboard', () => {
  test('reads metrics, labels and values that a service has', () => {
    expect(queries.length).toBeGreaterThan(30)
    const unknown = queries.flatMap(({ title, expr }) => findUnknown(withVariables(expr)).map((each) => [title, each]))
    expect(unknown).toEqual([])
    for (const { title, targets = [] } of dashboard.panels)
      for (const { expr, legendFormat } of targets)
        for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
          expect([title, findUnknown(`sum by (${label}) (${withVariables(expr)})`)]).toEqual([title, []])
    for (const { query } of dashboard.templating.list.filter(({ type }) => type === 'query')) {
      const [, selector, label] = /^label_values\((.+), (\w+)\)$/.exec(query)!
      expect(findUnknown(`sum by (${label}) (${withVariables(selector!)})`)).toEqual([])
    }
  })

  test('has panels of their own place and number, in rows, and its data source is a variable', () => {
    const { panels, templating } = dashboard
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    expect(new Set(panels.map(({ title }) => `${title}`)).size).toBeGreaterThan(20)
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, n) => `${x + (n % w)} ${y + Math.floor(n / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
    expect(Math.max(...panels.map(({ gridPos: { x, w } }) => x + w))).toBeLessThanOrEqual(24)
    expect(panels[0]!.type).toBe('row')
    expect(templating.list.map(({ name, type }) => [name, type])).toContainEqual(['datasource', 'datasource'])
    for (const { type, datasource, targets } of panels.filter(({ type }) => type !== 'row')) {
      expect(['stat', 'timeseries']).toContain(type)
      expect(datasource).toEqual({ type: 'prometheus', uid: '$' + '{datasource}' })
      expect(targets!.map(({ refId }) => refId)).toEqual(targets!.map((_, n) => String.fromCharCode(65 + n)))
    }
  })
})
