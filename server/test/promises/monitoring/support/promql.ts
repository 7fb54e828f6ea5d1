import { parser } from '@prometheus-io/lezer-promql'

interface Matcher {
  label: string
  op: string
  value: string
}

interface Selector {
  metric: string
  matchers: Matcher[]
}

interface Expression {
  selectors: Selector[]
  /** Labels in `by`, `on` and the like. */
  grouping: string[]
}

/** What an expression of PromQL reads. Throws for one that is not valid. */
export function readExpression(text: string): Expression {
  const expression: Expression = { selectors: [], grouping: [] }
  const texts: string[] = []
  parser.parse(text).iterate({
    enter: ({ type, name, from, to }) => {
      const part = text.slice(from, to)
      if (type.isError) throw new Error(`not PromQL at ${from}: ${text}`)
      if (name === 'VectorSelector') expression.selectors.push({ metric: '', matchers: [] })
      else if (name === 'Identifier') expression.selectors.at(-1)!.metric = part
      else if (name === 'LabelName' || name === 'MatchOp') texts.push(part)
      else if (name === 'StringLiteral' && texts.length === 2)
        expression.selectors.at(-1)!.matchers.push({ label: texts[0]!, op: texts[1]!, value: JSON.parse(part) })
    },
    leave: ({ name }) => {
      if (name === 'GroupingLabels') expression.grouping.push(...texts)
      if (name === 'GroupingLabels' || name === 'UnquotedLabelMatcher') texts.length = 0
    },
  })
  return expression
}

/** Whether a value of a label fits. A matcher that excludes fits what it excludes: that is what has to exist. */
export function names({ op, value }: Matcher, found: string): boolean {
  return op.endsWith('~') ? new RegExp(`^(?:${value})$`).test(found) : value === found
}

export interface Series {
  metric: string
  labels: Record<string, string>
}

/** The series of a reply of `/metrics`. */
export function readSeries(text: string): Series[] {
  return [...text.matchAll(/^(\w+)(?:\{(.*)\})? [\d.eE+-]+$/gm)].map(([, metric, labels = '']) => ({
    metric: metric!,
    labels: Object.fromEntries(
      [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, value]) => [label, value!]),
    ),
  }))
}
