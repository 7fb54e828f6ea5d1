import { Search, X } from 'lucide-react'
import { Button } from 'react-aria-components/Button'
import { Input } from 'react-aria-components/Input'
import { Label } from 'react-aria-components/Label'
import {
  SearchField as AriaSearchField,
  type SearchFieldProps as AriaSearchFieldProps,
} from 'react-aria-components/SearchField'
import { classNames } from '../class-names.ts'
import { inputClass } from './field.tsx'

interface SearchFieldProps extends Omit<AriaSearchFieldProps, 'children' | 'className'> {
  label?: string
  placeholder?: string
  className?: string
}

/** The key `/` moves the focus to the page's first one. */
export function SearchField({ label = 'Search', placeholder, className, ...props }: SearchFieldProps) {
  return (
    <AriaSearchField {...props} className={classNames('group relative flex min-w-0 items-center', className)}>
      <Label className="sr-only">{label}</Label>
      <Search aria-hidden className="pointer-events-none absolute left-2 size-4 text-muted" />
      <Input
        placeholder={placeholder}
        className={classNames(inputClass, 'px-8! [&::-webkit-search-cancel-button]:hidden')}
      />
      <Button
        aria-label={`Clear ${label.toLowerCase()}`}
        className="absolute right-1 grid size-6 place-items-center rounded-sm text-muted hover:bg-hover group-data-empty:hidden"
      >
        <X aria-hidden className="size-4" />
      </Button>
    </AriaSearchField>
  )
}
