import { Segmented } from '#ui/fields/segmented.tsx'
import { Select } from '#ui/fields/select.tsx'
import { DateField } from '#ui/fields/text-field.tsx'
import type { DayRange } from './days.ts'
import { rangeNames } from './days.ts'
import { ranges, type UsageSearch } from './search.ts'

interface UsageControlsProps {
  search: UsageSearch
  range: DayRange | undefined
  onChange: (changes: Partial<UsageSearch>) => void
}

const modes = [
  { id: 'live', label: 'Live' },
  { id: 'test', label: 'Test' },
] as const

const isBackwards = ({ from, to }: UsageSearch) => from !== undefined && to !== undefined && to < from

/** Live or sandbox, and which days. */
export function UsageControls({ search, range, onChange }: UsageControlsProps) {
  const change = (changes: Partial<UsageSearch>) => onChange({ bar: undefined, ...changes })
  return (
    <>
      <Segmented
        label="Mode"
        isLabelHidden
        options={modes}
        value={search.mode ?? 'live'}
        onChange={(mode) => change({ mode: mode === 'test' ? 'test' : undefined })}
      />
      <Select
        label="Days"
        isLabelHidden
        className="w-40"
        options={ranges.map((id) => ({ id, label: rangeNames[id] }))}
        value={search.range ?? 'period'}
        onChange={(next) => {
          if (next === 'days') return change({ range: 'days', ...range })
          change({ range: next === 'period' ? undefined : next, from: undefined, to: undefined })
        }}
      />
      {search.range === 'days' && (
        <>
          <DateField label="First day" isLabelHidden value={search.from ?? ''} onChange={(from) => change({ from })} />
          <DateField
            label="Last day"
            isLabelHidden
            value={search.to ?? ''}
            onChange={(to) => change({ to })}
            errorMessage={isBackwards(search) ? 'This is before the first day.' : undefined}
          />
        </>
      )}
    </>
  )
}
