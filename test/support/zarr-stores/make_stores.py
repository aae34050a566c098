"""Makes the stores beside this file: pip install xarray==2026.9.0 zarr==3.1.6 numcodecs==0.16.6, then run it here."""

import shutil
import warnings
import zipfile

import numcodecs
import numpy as np
import xarray as xr
from zarr.codecs import BloscCodec, GzipCodec
from zarr.storage import ZipStore

warnings.simplefilter("ignore")
time = ("time", [8.0, 16.0, 24.0], {"units": "ns"})
signal = np.arange(6.0).reshape(3, 2) / 8
plain = xr.Dataset(
    {"iq_re": (("time", "state"), signal, {"units": "V"})},
    coords={"time": time, "state": [0, 1], "note": ("time", ["a", "bb", "c"])},
)
small = plain.drop_vars("note")


def write(name, data, zarr_format, iq_re=None, **options):
    compression = options.pop("compression", zipfile.ZIP_STORED)
    store = ZipStore(name + ".zip", mode="w", compression=compression)
    encoding = {} if iq_re is None else {"iq_re": iq_re}
    data.to_zarr(store, zarr_format=zarr_format, encoding=encoding, consolidated=False, **options)
    store.close()


def packed(by):
    return {"compressors": [by], "chunks": (2, 1)}


for zarr_format in (2, 3):
    end = f"-v{zarr_format}"
    write("plain" + end, plain, zarr_format)
    write("deflated" + end, small, zarr_format, compression=zipfile.ZIP_DEFLATED)
    write("group" + end, small, zarr_format, group="run/one")
    write("turned" + end, small.transpose("state", "time"), zarr_format)
    integers = {"dtype": "int16", "scale_factor": 0.125, "add_offset": 0.0, "_FillValue": -1}
    write("integers" + end, small, zarr_format, integers)
    write("filled" + end, small, zarr_format, {"dtype": "float32", "_FillValue": -999.0})
    numbers = small.assign(iq=small.iq_re + 1j).drop_vars("iq_re")
    write("complex" + end, numbers, zarr_format)
    write("uncompressed" + end, small, zarr_format, {"compressors": None})
for name, by in {
    "blosc": numcodecs.Blosc(cname="zstd", shuffle=2),
    "zstd": numcodecs.Zstd(3),
    "gzip": numcodecs.GZip(3),
    "zlib": numcodecs.Zlib(3),
    "lz4": numcodecs.LZ4(),
    "bz2": numcodecs.BZ2(),
}.items():
    write(name + "-v2", small, 2, packed(by))
write("blosc-v3", small, 3, packed(BloscCodec(cname="lz4", shuffle="shuffle")))
write("gzip-v3", small, 3, packed(GzipCodec()))
write("shards-v3", small, 3, {"chunks": (2, 1), "shards": (4, 2)})
small.to_zarr("store.zarr", zarr_format=2, mode="w")
shutil.make_archive("directory-v2", "zip", ".", "store.zarr")
shutil.rmtree("store.zarr")
