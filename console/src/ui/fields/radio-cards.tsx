import type { ReactNode } from 'react'
import { RadioGroup as AriaRadioGroup, Radio } from 'react-aria-components/RadioGroup'
import { classNames } from '../class-names.ts'
import { FieldLabel } from './field.tsx'

export interface RadioCard<Id extends string> {
  id: Id
  /** Its name, in the first line. */
  title: string
  /** Beside the title. */
  badge?: ReactNode
  /** Below the title; read out as part of the name. */
  children: ReactNode
  isDisabled?: boolean
}

interface RadioCardsProps<Id extends string> {
  label: string
  cards: readonly RadioCard<Id>[]
  value: Id | null
  onChange: (id: Id) => void
}

/** One of a few things that are compared side by side; below each other on a phone. */
export function RadioCards<Id extends string>({ label, cards, value, onChange }: RadioCardsProps<Id>) {
  return (
    <AriaRadioGroup value={value} onChange={(id) => onChange(id as Id)} orientation="horizontal">
      <FieldLabel label={label} isLabelHidden />
      <div className="grid gap-2 sm:grid-cols-2 lg:grid-cols-[repeat(auto-fit,minmax(10rem,1fr))]">
        {cards.map(({ id, title, badge, children, isDisabled = false }) => (
          <Radio
            key={id}
            value={id}
            isDisabled={isDisabled}
            className={classNames(
              'group flex min-w-0 gap-2 rounded-lg border border-line bg-surface p-3 transition-colors',
              'data-selected:border-accent data-selected:bg-accent-soft/50 data-disabled:bg-transparent',
              'data-focus-visible:outline-2 data-focus-visible:outline-accent-text data-focus-visible:outline-offset-1',
              !isDisabled && 'hover:border-control',
            )}
          >
            <span
              className={classNames(
                'mt-0.5 size-4 shrink-0 rounded-full border border-control bg-surface group-data-selected:border-5 group-data-selected:border-accent',
                isDisabled && 'invisible',
              )}
            />
            <span className="min-w-0 flex-1">
              <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
                <span className="min-w-0 font-semibold wrap-anywhere">{title}</span>
                {badge}
              </span>
              {children}
            </span>
          </Radio>
        ))}
      </div>
    </AriaRadioGroup>
  )
}
