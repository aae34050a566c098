import { File, ready } from 'h5wasm';
import { readDatasetBytes } from '../../../shared/science/datasets/dataset-bytes.ts';
import type { Dataset, DatasetVariable } from '../../../shared/science/datasets/model.ts';
import { encodeNetcdf } from '../../../shared/science/datasets/netcdf.ts';
import type { Random } from '../../../shared/science/device/random.ts';

/** Number of steps of a packed variable over the range of its values. */
const PACKED_STEPS = 2 ** 28;
const FILL = -(2 ** 31);

/** The dataset as read from a file in one of the formats and encodings of xarray. */
export async function sendFile(dataset: Dataset, random: Random): Promise<Dataset> {
  const bytes = random.uniform() < 0.2 ? encodeNetcdf(dataset) : await netcdf4(dataset, random);
  return readDatasetBytes(bytes);
}

async function netcdf4(dataset: Dataset, random: Random): Promise<Uint8Array> {
  const { FS } = await ready;
  const path = 'sent.nc';
  const file = new File(path, 'w');
  const lengths = dataset.dims;
  for (const [name, variable] of Object.entries(dataset.coordinates)) {
    const axis = file.create_dataset({
      name,
      data: Float64Array.from(known(variable)),
      shape: [variable.values.length],
    });
    axis.make_scale(name);
    axis.create_attribute('units', variable.unit);
  }
  for (const [name, variable] of Object.entries(dataset.variables)) {
    const shape = variable.dims.map((dim) => lengths[dim] ?? 1);
    const encoding = random.uniform();
    const packed = encoding < 0.35 ? pack(known(variable)) : null;
    const compressed =
      random.uniform() < 0.5 ? { chunks: shape.map((length) => Math.ceil(length / 2)), compression: 4 } : {};
    const stored = file.create_dataset({
      name,
      data:
        packed?.values ??
        (encoding < 0.6 ? Float32Array.from(known(variable)) : Float64Array.from(known(variable))),
      shape,
      ...compressed,
    });
    for (const [place, dim] of variable.dims.entries()) {
      if (dim in dataset.coordinates) stored.attach_scale(place, dim);
    }
    stored.create_attribute('units', variable.unit);
    if (packed === null) continue;
    stored.create_attribute('scale_factor', packed.scale);
    stored.create_attribute('add_offset', packed.offset);
    stored.create_attribute('_FillValue', FILL, null, '<i');
  }
  file.create_dataset({ name: 'operator', data: ['Ada'] });
  file.close();
  const bytes = FS.readFile(path);
  FS.unlink(path);
  return bytes;
}

function known({ values }: DatasetVariable): number[] {
  return values.map((value) => value ?? Number.NaN);
}

/** Values as integers with a scale; missing values are the fill value. */
function pack(values: readonly number[]): { values: Int32Array; scale: number; offset: number } {
  const present = values.filter(Number.isFinite);
  const [lowest, highest] = [Math.min(...present), Math.max(...present)];
  const scale = (highest - lowest) / PACKED_STEPS || 1;
  return {
    values: Int32Array.from(values, (value) =>
      Number.isFinite(value) ? Math.round((value - lowest) / scale) : FILL,
    ),
    scale,
    offset: lowest,
  };
}
