from google.protobuf.message import Message

class SaverDef(Message):
    restore_op_name: str
    filename_tensor_name: str
