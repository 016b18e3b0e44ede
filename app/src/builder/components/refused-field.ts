import { createContext } from 'react';
import type { RefusedField } from '../outcome-messages';

/** The field of the form that the server refused. */
export const RefusedFieldContext = createContext<RefusedField | null>(null);
