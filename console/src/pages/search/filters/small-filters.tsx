import { type ReactNode, useState } from 'react'
import type { CountOf } from '#lib/filters/facets.ts'
import type { DayField, FlagField, NumberFilterField, SwitchField } from '#lib/filters/fields.ts'
import { formatNumber } from '#lib/format.ts'
import { Segmented } from '#ui/fields/segmented.tsx'
import { DateField, TextField } from '#ui/fields/text-field.tsx'

const answers = [
  { id: 'any', label: 'Any' },
  { id: 'yes', label: 'Yes' },
  { id: 'no', label: 'No' },
] as const

interface FlagFilterProps {
  field: FlagField
  value: boolean | undefined
  counts: CountOf | undefined
  onChange: (value: boolean | undefined) => void
}

export function FlagFilter({ field, value, counts, onChange }: FlagFilterProps) {
  const countOfAnswer = { any: undefined, yes: counts?.('true'), no: counts?.('false') }
  const options = answers.map((answer) => {
    const count = countOfAnswer[answer.id]
    return { ...answer, hint: count === undefined ? undefined : <CountHint count={count} /> }
  })
  return (
    <Segmented
      label={field.label}
      options={options}
      value={value === undefined ? 'any' : value ? 'yes' : 'no'}
      onChange={(answer) => onChange(answer === 'any' ? undefined : answer === 'yes')}
      className="py-1"
    />
  )
}

function CountHint({ count }: { count: number }) {
  return <span className="text-muted tabular-nums">{formatNumber(count, { notation: 'compact' })}</span>
}

interface SwitchFilterProps {
  field: SwitchField
  isOn: boolean
  onChange: (value: true | undefined) => void
}

export function SwitchFilter({ field, isOn, onChange }: SwitchFilterProps) {
  return (
    <label className="flex items-start gap-2 py-0.5 pointer-coarse:py-2.5">
      <input
        type="checkbox"
        checked={isOn}
        onChange={() => onChange(isOn ? undefined : true)}
        className="mt-0.5 size-4 shrink-0 accent-accent pointer-coarse:size-5"
      />
      {field.label}
    </label>
  )
}

interface NumberFilterProps {
  field: NumberFilterField
  value: number | undefined
  onChange: (value: number | undefined) => void
}

export function NumberFilter({ field, value, onChange }: NumberFilterProps) {
  const commit = (text: string) => onChange(Number.parseInt(text, 10) || undefined)
  return (
    <Draft value={value === undefined ? '' : String(value)} onCommit={commit}>
      {(text, setText) => (
        <TextField
          label={field.label}
          inputMode="numeric"
          value={text}
          onChange={(next) => setText(next.replaceAll(/\D/g, '').slice(0, String(field.max).length))}
        />
      )}
    </Draft>
  )
}

interface DayFilterProps {
  field: DayField
  value: string | undefined
  onChange: (value: string | undefined) => void
}

export function DayFilter({ field, value = '', onChange }: DayFilterProps) {
  return (
    <Draft value={value} onCommit={(text) => onChange(text || undefined)}>
      {(text, setText) => <DateField label={field.label} value={text} onChange={setText} />}
    </Draft>
  )
}

interface DraftProps {
  value: string
  onCommit: (text: string) => void
  children: (text: string, setText: (text: string) => void) => ReactNode
}

/**
 * Changes the search when the field is left or Enter is pressed, not with each key: every search costs rows, and a year that
 * is typed is a valid one four times.
 */
function Draft({ value, onCommit, children }: DraftProps) {
  const [draft, setDraft] = useState({ of: value, text: value })
  const text = draft.of === value ? draft.text : value
  const commit = () => {
    if (text !== value) onCommit(text)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hears what its field is told
    <div onBlur={commit} onKeyDown={(event) => event.key === 'Enter' && commit()} className="py-1">
      {children(text, (next) => setDraft({ of: value, text: next }))}
    </div>
  )
}
