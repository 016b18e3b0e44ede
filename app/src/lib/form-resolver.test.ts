import { renderHook } from '@testing-library/react';
import { useForm, type Resolver } from 'react-hook-form';
import { expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { lazyResolver } from './form-resolver';

interface Form {
  name: string;
}

const schema: z.ZodMiniType<Form> = z.object({ name: z.string().check(z.minLength(1, 'missing')) });

async function press(resolver: Resolver<Form>, name: string) {
  const taken = vi.fn();
  const refused = vi.fn();
  const { result } = renderHook(() => useForm<Form>({ resolver, defaultValues: { name } }));
  await result.current.handleSubmit(
    (form) => void taken(form),
    (errors) => void refused(errors),
  )();
  return { taken, refused };
}

// The test uses the form itself. If it overlooked an
// error of the whole form, it would charge for nothing.
test('a form is refused as a whole while its checks cannot be loaded', async () => {
  const unreachable = () => Promise.reject<typeof schema>(new TypeError('Failed to fetch'));
  const { taken, refused } = await press(lazyResolver(unreachable), 'Asha');
  expect(taken).not.toHaveBeenCalled();
  expect(refused.mock.calls).toMatchObject([[{ root: { type: 'unavailable' } }]]);
});

test('a form whose checks load late is checked by them', async () => {
  const late = lazyResolver(() => Promise.resolve(schema));
  const whole = await press(late, 'Asha');
  expect(whole.taken).toHaveBeenCalledWith({ name: 'Asha' });
  expect(whole.refused).not.toHaveBeenCalled();
  const empty = await press(late, '');
  expect(empty.taken).not.toHaveBeenCalled();
  expect(empty.refused.mock.calls).toMatchObject([[{ name: { message: 'missing' } }]]);
});
