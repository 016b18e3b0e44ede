-- Whoever completes a generation may have lost the answer, and asks again: what was stored by it is told as stored.

create or replace function public.complete_generation(generation_id uuid, result jsonb)
returns boolean
language plpgsql
security definer
set search_path = ''
as $$
begin
  if result is null then
    raise invalid_parameter_value using message = 'A generation is completed with its result.';
  end if;
  update public.generations
  set status = 'finished', finished_at = now(), result = complete_generation.result
  where id = generation_id
    and status = 'running';
  if not found then
    return exists (
      select from public.generations
      where id = generation_id
        and status = 'finished'
        and generations.result = complete_generation.result
    );
  end if;
  update private.deductions
  set state = 'spent', settled_at = now()
  where deductions.generation_id = complete_generation.generation_id;
  return true;
end
$$;

comment on function public.complete_generation(uuid, jsonb) is
  'Stores the result and spends the deduction. True again for the same result, since an answer may be lost on its way. False when the generation was cancelled, failed or given back meanwhile: then nothing may be delivered as paid.';
